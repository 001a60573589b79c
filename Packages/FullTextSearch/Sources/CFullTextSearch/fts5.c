#include "CFullTextSearch.h"

static _Thread_local strata_tokenizer_failure failure = {0, 0};

strata_tokenizer_failure *strata_tokenizer_failure_slot(void) {
    return &failure;
}

fts5_api *strata_fts5_api(sqlite3 *connection, int *code) {
    fts5_api *api = 0;
    sqlite3_stmt *statement = 0;
    *code = sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, 0);
    if (*code == SQLITE_OK) {
        *code = sqlite3_bind_pointer(statement, 1, (void *)&api, "fts5_api_ptr", 0);
        if (*code == SQLITE_OK) {
            sqlite3_step(statement);
            *code = sqlite3_reset(statement);
        }
    }
    sqlite3_finalize(statement);
    return api;
}
