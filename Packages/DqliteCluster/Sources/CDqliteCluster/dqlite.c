#include "CDqliteCluster.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

static strata_dqlite functions;
static int is_loaded;

static void load(void) {
#if !defined(__APPLE__)
    void *library = dlopen("libdqlite.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    functions.version_number = (int (*)(void))dlsym(library, "dqlite_version_number");
    functions.node_create =
        (int (*)(unsigned long long, const char *, const char *, void **))dlsym(library, "dqlite_node_create");
    functions.node_destroy = (void (*)(void *))dlsym(library, "dqlite_node_destroy");
    functions.node_set_bind_address = (int (*)(void *, const char *))dlsym(library, "dqlite_node_set_bind_address");
    functions.node_set_network_latency_ms = (int (*)(void *, unsigned))dlsym(library, "dqlite_node_set_network_latency_ms");
    functions.node_start = (int (*)(void *))dlsym(library, "dqlite_node_start");
    functions.node_stop = (int (*)(void *))dlsym(library, "dqlite_node_stop");
    functions.node_recover_ext = (int (*)(void *, strata_dqlite_info *, int))dlsym(library, "dqlite_node_recover_ext");
    functions.node_errmsg = (const char *(*)(void *))dlsym(library, "dqlite_node_errmsg");
    is_loaded = functions.version_number && functions.node_create && functions.node_destroy && functions.node_set_bind_address
                && functions.node_set_network_latency_ms && functions.node_start && functions.node_stop && functions.node_recover_ext
                && functions.node_errmsg && strata_load_guard(library);
#endif
}

const strata_dqlite *strata_load_dqlite(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded ? &functions : 0;
}

void strata_ignore_sigpipe(void) {
    signal(SIGPIPE, SIG_IGN);
}
