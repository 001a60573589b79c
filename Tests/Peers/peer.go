// The workloads of Tests/Peers/README.md with go-sqlite3.
package main

import (
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	_ "github.com/mattn/go-sqlite3"
)

// 1 January 2023, in milliseconds.
const start = 1672531200000

type user struct {
	id      int64
	created time.Time
	email   string
	active  bool
}

type text struct {
	id      int64
	created time.Time
	parent  int64
	text    string
}

type joined struct {
	user    user
	article *text
	comment *text
}

type order struct {
	id                                                                               int64
	customerID                                                                       *string
	employeeID                                                                       *int64
	orderDate, requiredDate, shippedDate                                             *string
	shipVia                                                                          *int64
	freight                                                                          *float64
	shipName, shipAddress, shipCity, shipRegion, shipPostalCode, shipCountry *string
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

func read(folder, name string) string {
	content, err := os.ReadFile(folder + "/" + name + ".sql")
	must(err)
	return string(content)
}

func open(path string) *sql.DB {
	db, err := sql.Open("sqlite3", "file:"+path+"?_journal_mode=DELETE&_synchronous=FULL&_foreign_keys=1&_busy_timeout=5000")
	must(err)
	return db
}

func prepare(db interface {
	Prepare(string) (*sql.Stmt, error)
}, statement string) *sql.Stmt {
	result, err := db.Prepare(statement)
	must(err)
	return result
}

func checkUser(u *user) int64 {
	sum := u.id + u.created.UnixMilli() + int64(len(u.email))
	if u.active {
		sum++
	}
	return sum
}

func checkText(t *text) int64 {
	if t == nil {
		return 0
	}
	return t.id + t.created.UnixMilli() + t.parent + int64(len(t.text))
}

func email(id int64) string { return fmt.Sprintf("user%08d@example.com", id) }

func insertUser(insert *sql.Stmt, id int64, email string) {
	u := user{id, time.UnixMilli(start + id*1000), email, id%2 == 1}
	_, err := insert.Exec(u.id, u.created.UnixMilli(), u.email, u.active)
	must(err)
}

func insertText(insert *sql.Stmt, id, parent int64, content string) {
	t := text{id, time.UnixMilli(start + id*1000), parent, content}
	_, err := insert.Exec(t.id, t.created.UnixMilli(), t.parent, t.text)
	must(err)
}

const insertUsers = "INSERT INTO users (id, created, email, active) VALUES (?, ?, ?, ?)"
const insertArticles = "INSERT INTO articles (id, created, userId, text) VALUES (?, ?, ?, ?)"
const insertComments = "INSERT INTO comments (id, created, articleId, text) VALUES (?, ?, ?, ?)"

func begin(db *sql.DB) *sql.Tx {
	transaction, err := db.Begin()
	must(err)
	return transaction
}

func fillUsers(db *sql.DB, count int64, bytes int) {
	transaction := begin(db)
	insert := prepare(transaction, insertUsers)
	for id := int64(1); id <= count; id++ {
		if bytes > 0 {
			insertUser(insert, id, strings.Repeat("a", bytes))
		} else {
			insertUser(insert, id, email(id))
		}
	}
	must(transaction.Commit())
}

func fetchUsers(db *sql.DB, times int) int64 {
	statement := prepare(db, "SELECT id, created, email, active FROM users ORDER BY id")
	defer statement.Close()
	sum := int64(0)
	for i := 0; i < times; i++ {
		rows, err := statement.Query()
		must(err)
		var users []user
		for rows.Next() {
			var u user
			var created int64
			must(rows.Scan(&u.id, &created, &u.email, &u.active))
			u.created = time.UnixMilli(created)
			users = append(users, u)
		}
		must(rows.Err())
		for index := range users {
			sum += checkUser(&users[index])
		}
	}
	return sum
}

func fillReal(db *sql.DB) {
	article, comment := int64(0), int64(0)
	for id := int64(1); id <= 100; id++ {
		transaction := begin(db)
		users, articles := prepare(transaction, insertUsers), prepare(transaction, insertArticles)
		comments := prepare(transaction, insertComments)
		insertUser(users, id, email(id))
		for i := 0; i < 20; i++ {
			article++
			insertText(articles, article, id, "text of the article")
			for j := 0; j < 20; j++ {
				comment++
				insertText(comments, comment, article, "text of the comment")
			}
		}
		must(transaction.Commit())
	}
}

func fillTexts(db *sql.DB, statement string, count, ofEach int64, content string) {
	transaction := begin(db)
	insert := prepare(transaction, statement)
	for id := int64(1); id <= count; id++ {
		insertText(insert, id, (id-1)/ofEach+1, content)
	}
	must(transaction.Commit())
}

func joinedSQL(folder, condition string) string {
	return read(folder, "joined") + condition + " ORDER BY users.created, articles.created, comments.created"
}

func optionalText(id, created, parent sql.NullInt64, content sql.NullString) *text {
	if !id.Valid {
		return nil
	}
	return &text{id.Int64, time.UnixMilli(created.Int64), parent.Int64, content.String}
}

func fetchJoined(statement *sql.Stmt, arguments ...interface{}) int64 {
	rows, err := statement.Query(arguments...)
	must(err)
	var result []joined
	for rows.Next() {
		var row joined
		var created int64
		var numbers [6]sql.NullInt64
		var texts [2]sql.NullString
		must(rows.Scan(&row.user.id, &created, &row.user.email, &row.user.active, &numbers[0], &numbers[1], &numbers[2], &texts[0],
			&numbers[3], &numbers[4], &numbers[5], &texts[1]))
		row.user.created = time.UnixMilli(created)
		row.article = optionalText(numbers[0], numbers[1], numbers[2], texts[0])
		row.comment = optionalText(numbers[3], numbers[4], numbers[5], texts[1])
		result = append(result, row)
	}
	must(rows.Err())
	sum := int64(0)
	for index := range result {
		sum += checkUser(&result[index].user) + checkText(result[index].article) + checkText(result[index].comment)
	}
	return sum
}

func fetchOrders(statement *sql.Stmt) int64 {
	rows, err := statement.Query()
	must(err)
	var orders []order
	for rows.Next() {
		var o order
		must(rows.Scan(&o.id, &o.customerID, &o.employeeID, &o.orderDate, &o.requiredDate, &o.shippedDate, &o.shipVia, &o.freight,
			&o.shipName, &o.shipAddress, &o.shipCity, &o.shipRegion, &o.shipPostalCode, &o.shipCountry))
		orders = append(orders, o)
	}
	must(rows.Err())
	sum := int64(0)
	for index := range orders {
		o := &orders[index]
		sum += o.id + *o.employeeID + *o.shipVia + int64(*o.freight*4)
		for _, t := range []*string{o.customerID, o.orderDate, o.requiredDate, o.shippedDate, o.shipName, o.shipAddress, o.shipCity,
			o.shipRegion, o.shipPostalCode, o.shipCountry} {
			if t != nil {
				sum += int64(len(*t))
			}
		}
	}
	return sum
}

func timed(part string, work func()) {
	begin := time.Now()
	work()
	fmt.Printf("time %s %f\n", part, float64(time.Since(begin).Nanoseconds())/1e6)
}

func main() {
	path, folder := os.Args[2], os.Args[3]
	workload, suffix, _ := strings.Cut(os.Args[1], "-")
	n, _ := strconv.Atoi(suffix)
	db := open(path)
	var source string
	must(db.QueryRow("SELECT sqlite_source_id()").Scan(&source))
	fmt.Println("sqlite", source)
	for _, name := range []string{"journal_mode", "synchronous", "foreign_keys", "busy_timeout", "cache_size", "page_size"} {
		var value string
		must(db.QueryRow("PRAGMA " + name).Scan(&value))
		fmt.Println("pragma", name, value)
	}
	schema := "schema"
	if workload == "orders" {
		schema = "orders"
	}
	_, err := db.Exec(read(folder, schema))
	must(err)
	sum := int64(0)
	switch workload {
	case "simple":
		timed("insert", func() { fillUsers(db, 1000000, 0) })
		timed("query", func() { sum = fetchUsers(db, 1) })
	case "many":
		timed("insert", func() { fillUsers(db, int64(n), 0) })
		timed("query", func() { sum = fetchUsers(db, 1000) })
	case "large":
		timed("insert", func() { fillUsers(db, 10000, n) })
		timed("query", func() { sum = fetchUsers(db, 1) })
	case "concurrent":
		_, err := db.Exec(read(folder, "users"))
		must(err)
		timed("query", func() {
			var group sync.WaitGroup
			sums := make([]int64, n)
			for i := 0; i < n; i++ {
				group.Add(1)
				go func(i int) {
					defer group.Done()
					sums[i] = fetchUsers(db, 1)
				}(i)
			}
			group.Wait()
			for _, s := range sums {
				sum += s
			}
		})
	case "real":
		timed("insert", func() { fillReal(db) })
		timed("query", func() {
			statement := prepare(db, joinedSQL(folder, " WHERE users.email = ?"))
			for id := int64(1); id <= 100; id++ {
				sum += fetchJoined(statement, email(id))
			}
		})
	case "complex":
		timed("insert", func() {
			fillUsers(db, 200, 0)
			fillTexts(db, insertArticles, 20000, 100, "text of the article")
			fillTexts(db, insertComments, 400000, 20, "text of the comment")
		})
		timed("query", func() { sum = fetchJoined(prepare(db, joinedSQL(folder, ""))) })
	default:
		timed("query", func() {
			statement := prepare(db, "SELECT * FROM orders")
			for i := 0; i < 10; i++ {
				sum += fetchOrders(statement)
			}
		})
	}
	fmt.Println("check", sum)
}
