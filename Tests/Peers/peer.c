// The workloads of Tests/Peers/README.md on SQLite's C API.
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *path, *folder;
// 1 January 2023, in milliseconds.
static const sqlite3_int64 start = 1672531200000;

static void must(int condition, sqlite3 *db) {
    if (condition) return;
    fprintf(stderr, "peer: %s\n", db ? sqlite3_errmsg(db) : "failed");
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static char *sql(const char *name) {
    static char text[8192];
    snprintf(text, sizeof text, "%s/%s.sql", folder, name);
    FILE *file = fopen(text, "r");
    must(file != NULL, NULL);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void execute(sqlite3 *db, const char *statements) {
    must(sqlite3_exec(db, statements, NULL, NULL, NULL) == SQLITE_OK, db);
}

static sqlite3 *open_database(void) {
    sqlite3 *db;
    must(sqlite3_open(path, &db) == SQLITE_OK, db);
    execute(db, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; PRAGMA foreign_keys = 1; PRAGMA busy_timeout = 5000");
    return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *statement) {
    sqlite3_stmt *result;
    must(sqlite3_prepare_v3(db, statement, -1, SQLITE_PREPARE_PERSISTENT, &result, NULL) == SQLITE_OK, db);
    return result;
}

typedef struct {
    sqlite3_int64 id, created;
    char *email;
    int active;
} User;

typedef struct {
    sqlite3_int64 id, created, parent;
    char *text;
} Text;

typedef struct {
    User user;
    Text article, comment;
    int has_article, has_comment;
} Joined;

typedef struct {
    char *elements;
    size_t count, capacity;
} Array;

static void *append(Array *array, size_t size) {
    if (array->count == array->capacity) {
        array->capacity = array->capacity ? array->capacity * 2 : 16;
        array->elements = realloc(array->elements, array->capacity * size);
    }
    return array->elements + size * array->count++;
}

static char *string(sqlite3_stmt *statement, int column) {
    const unsigned char *text = sqlite3_column_text(statement, column);
    if (!text) return NULL;
    size_t bytes = sqlite3_column_bytes(statement, column);
    char *copy = malloc(bytes + 1);
    memcpy(copy, text, bytes + 1);
    return copy;
}

static User read_user(sqlite3_stmt *statement) {
    User user = {
        sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1), string(statement, 2), sqlite3_column_int(statement, 3)};
    return user;
}

static int read_text(sqlite3_stmt *statement, int column, Text *text) {
    if (sqlite3_column_type(statement, column) == SQLITE_NULL) return 0;
    text->id = sqlite3_column_int64(statement, column);
    text->created = sqlite3_column_int64(statement, column + 1);
    text->parent = sqlite3_column_int64(statement, column + 2);
    text->text = string(statement, column + 3);
    return 1;
}

static sqlite3_int64 check_user(User *user) {
    return user->id + user->created + (sqlite3_int64)strlen(user->email) + user->active;
}

static sqlite3_int64 check_text(Text *text) {
    return text->id + text->created + text->parent + (sqlite3_int64)strlen(text->text);
}

static Array users_of(sqlite3_stmt *statement, int capacity) {
    Array users = {malloc(sizeof(User) * capacity), 0, capacity};
    while (sqlite3_step(statement) == SQLITE_ROW) *(User *)append(&users, sizeof(User)) = read_user(statement);
    sqlite3_reset(statement);
    return users;
}

static sqlite3_int64 finish_users(Array users) {
    sqlite3_int64 sum = 0;
    for (size_t i = 0; i < users.count; i++) {
        User *user = (User *)users.elements + i;
        sum += check_user(user);
        free(user->email);
    }
    free(users.elements);
    return sum;
}

static void insert_user(sqlite3 *db, sqlite3_stmt *insert, int id, const char *email) {
    sqlite3_bind_int64(insert, 1, id);
    sqlite3_bind_int64(insert, 2, start + id * 1000LL);
    sqlite3_bind_text(insert, 3, email, -1, SQLITE_STATIC);
    sqlite3_bind_int(insert, 4, id % 2);
    must(sqlite3_step(insert) == SQLITE_DONE, db);
    sqlite3_reset(insert);
}

static void insert_text(sqlite3 *db, sqlite3_stmt *insert, int id, int parent, const char *text) {
    sqlite3_bind_int64(insert, 1, id);
    sqlite3_bind_int64(insert, 2, start + id * 1000LL);
    sqlite3_bind_int64(insert, 3, parent);
    sqlite3_bind_text(insert, 4, text, -1, SQLITE_STATIC);
    must(sqlite3_step(insert) == SQLITE_DONE, db);
    sqlite3_reset(insert);
}

static const char *insert_users = "INSERT INTO users (id, created, email, active) VALUES (?, ?, ?, ?)";
static const char *insert_articles = "INSERT INTO articles (id, created, userId, text) VALUES (?, ?, ?, ?)";
static const char *insert_comments = "INSERT INTO comments (id, created, articleId, text) VALUES (?, ?, ?, ?)";
static const char *select_users = "SELECT id, created, email, active FROM users ORDER BY id";

static void fill_users(sqlite3 *db, int count, int bytes) {
    double begin = now();
    sqlite3_stmt *insert = prepare(db, insert_users);
    execute(db, "BEGIN");
    char *email = malloc(bytes + 64);
    for (int id = 1; id <= count; id++) {
        if (bytes) {
            memset(email, 'a', bytes);
            email[bytes] = 0;
        } else {
            sprintf(email, "user%08d@example.com", id);
        }
        insert_user(db, insert, id, email);
    }
    execute(db, "COMMIT");
    free(email);
    sqlite3_finalize(insert);
    printf("time insert %f\n", now() - begin);
}

static sqlite3_int64 fetch_users(sqlite3 *db, int times, int capacity) {
    sqlite3_int64 sum = 0;
    sqlite3_stmt *select = prepare(db, select_users);
    for (int i = 0; i < times; i++) sum += finish_users(users_of(select, capacity));
    sqlite3_finalize(select);
    return sum;
}

static void fill_joined(sqlite3 *db, int users, int articles, int comments, int of_its_own) {
    double begin = now();
    sqlite3_stmt *user = prepare(db, insert_users), *article = prepare(db, insert_articles), *comment = prepare(db, insert_comments);
    char email[64];
    if (of_its_own) {
        int a = 0, c = 0;
        for (int u = 1; u <= users; u++) {
            execute(db, "BEGIN");
            sprintf(email, "user%08d@example.com", u);
            insert_user(db, user, u, email);
            for (int i = 0; i < articles; i++) {
                insert_text(db, article, ++a, u, "text of the article");
                for (int j = 0; j < comments; j++) insert_text(db, comment, ++c, a, "text of the comment");
            }
            execute(db, "COMMIT");
        }
    } else {
        execute(db, "BEGIN");
        for (int u = 1; u <= users; u++) {
            sprintf(email, "user%08d@example.com", u);
            insert_user(db, user, u, email);
        }
        execute(db, "COMMIT; BEGIN");
        for (int a = 1; a <= users * articles; a++) insert_text(db, article, a, (a - 1) / articles + 1, "text of the article");
        execute(db, "COMMIT; BEGIN");
        for (int c = 1; c <= users * articles * comments; c++) {
            insert_text(db, comment, c, (c - 1) / comments + 1, "text of the comment");
        }
        execute(db, "COMMIT");
    }
    sqlite3_finalize(user);
    sqlite3_finalize(article);
    sqlite3_finalize(comment);
    printf("time insert %f\n", now() - begin);
}

static sqlite3_int64 fetch_joined(sqlite3_stmt *select) {
    Array rows = {0};
    while (sqlite3_step(select) == SQLITE_ROW) {
        Joined *row = append(&rows, sizeof(Joined));
        row->user = read_user(select);
        row->has_article = read_text(select, 4, &row->article);
        row->has_comment = read_text(select, 8, &row->comment);
    }
    sqlite3_reset(select);
    sqlite3_int64 sum = 0;
    for (size_t i = 0; i < rows.count; i++) {
        Joined *row = (Joined *)rows.elements + i;
        sum += check_user(&row->user);
        free(row->user.email);
        if (row->has_article) {
            sum += check_text(&row->article);
            free(row->article.text);
        }
        if (row->has_comment) {
            sum += check_text(&row->comment);
            free(row->comment.text);
        }
    }
    free(rows.elements);
    return sum;
}

static sqlite3_stmt *prepare_joined(sqlite3 *db, const char *condition) {
    char text[8192];
    snprintf(text, sizeof text, "%s %s ORDER BY users.created, articles.created, comments.created", sql("joined"), condition);
    return prepare(db, text);
}

typedef struct {
    sqlite3_int64 id;
    char *customer;
    sqlite3_int64 employee;
    char *dates[3];
    sqlite3_int64 via;
    double freight;
    char *ship[6];
} Order;

static sqlite3_int64 check_string(char *text) {
    return text ? (sqlite3_int64)strlen(text) : 0;
}

static sqlite3_int64 fetch_orders(sqlite3_stmt *select) {
    Array orders = {0};
    while (sqlite3_step(select) == SQLITE_ROW) {
        Order *order = append(&orders, sizeof(Order));
        order->id = sqlite3_column_int64(select, 0);
        order->customer = string(select, 1);
        order->employee = sqlite3_column_int64(select, 2);
        for (int i = 0; i < 3; i++) order->dates[i] = string(select, 3 + i);
        order->via = sqlite3_column_int64(select, 6);
        order->freight = sqlite3_column_double(select, 7);
        for (int i = 0; i < 6; i++) order->ship[i] = string(select, 8 + i);
    }
    sqlite3_reset(select);
    sqlite3_int64 sum = 0;
    for (size_t i = 0; i < orders.count; i++) {
        Order *order = (Order *)orders.elements + i;
        sum += order->id + order->employee + order->via + (sqlite3_int64)(order->freight * 4) + check_string(order->customer);
        free(order->customer);
        for (int j = 0; j < 3; j++) {
            sum += check_string(order->dates[j]);
            free(order->dates[j]);
        }
        for (int j = 0; j < 6; j++) {
            sum += check_string(order->ship[j]);
            free(order->ship[j]);
        }
    }
    free(orders.elements);
    return sum;
}

static void *read_in_thread(void *sum) {
    sqlite3 *db = open_database();
    *(sqlite3_int64 *)sum = fetch_users(db, 1, 16);
    sqlite3_close(db);
    return NULL;
}

static void print_settings(sqlite3 *db) {
    printf("sqlite %s\n", sqlite3_sourceid());
    const char *names[] = {"journal_mode", "synchronous", "foreign_keys", "busy_timeout", "cache_size", "page_size"};
    for (int i = 0; i < 6; i++) {
        char text[64];
        snprintf(text, sizeof text, "PRAGMA %s", names[i]);
        sqlite3_stmt *pragma = prepare(db, text);
        sqlite3_step(pragma);
        printf("pragma %s %s\n", names[i], sqlite3_column_text(pragma, 0));
        sqlite3_finalize(pragma);
    }
}

int main(int argc, char **argv) {
    must(argc == 4, NULL);
    const char *workload = argv[1];
    path = argv[2];
    folder = argv[3];
    const char *dash = strchr(workload, '-');
    int n = dash ? atoi(dash + 1) : 0;
    sqlite3 *db = open_database();
    print_settings(db);
    execute(db, sql(strcmp(workload, "orders") ? "schema" : "orders"));
    sqlite3_int64 sum = 0;
    double begin;
    if (!strcmp(workload, "simple")) {
        fill_users(db, 1000000, 0);
        begin = now();
        sum = fetch_users(db, 1, 16);
    } else if (!strncmp(workload, "many", 4)) {
        fill_users(db, n, 0);
        begin = now();
        sum = fetch_users(db, 1000, 16);
    } else if (!strncmp(workload, "large", 5)) {
        fill_users(db, 10000, n);
        begin = now();
        sum = fetch_users(db, 1, 16);
    } else if (!strncmp(workload, "concurrent", 10)) {
        execute(db, sql("users"));
        begin = now();
        pthread_t threads[64];
        sqlite3_int64 sums[64];
        for (int i = 0; i < n; i++) pthread_create(&threads[i], NULL, read_in_thread, &sums[i]);
        for (int i = 0; i < n; i++) {
            pthread_join(threads[i], NULL);
            sum = (sqlite3_int64)((sqlite3_uint64)sum + (sqlite3_uint64)sums[i]);
        }
    } else if (!strcmp(workload, "real")) {
        fill_joined(db, 100, 20, 20, 1);
        begin = now();
        sqlite3_stmt *select = prepare_joined(db, "WHERE users.email = ?");
        for (int id = 1; id <= 100; id++) {
            char email[64];
            sprintf(email, "user%08d@example.com", id);
            sqlite3_bind_text(select, 1, email, -1, SQLITE_STATIC);
            sum += fetch_joined(select);
        }
        sqlite3_finalize(select);
    } else if (!strcmp(workload, "complex")) {
        fill_joined(db, 200, 100, 20, 0);
        begin = now();
        sqlite3_stmt *select = prepare_joined(db, "");
        sum = fetch_joined(select);
        sqlite3_finalize(select);
    } else {
        begin = now();
        sqlite3_stmt *select = prepare(db, "SELECT * FROM orders");
        for (int i = 0; i < 10; i++) sum += fetch_orders(select);
        sqlite3_finalize(select);
    }
    printf("time query %f\n", now() - begin);
    printf("check %lld\n", sum);
    sqlite3_close(db);
    return 0;
}
