#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
static int goes(const char *p) { size_t n = strlen(p); const char *e[] = {"-journal", "-wal", "-shm"};
  for (int i = 0; i < 3; i++) { size_t m = strlen(e[i]); if (n > m && !strcmp(p + n - m, e[i])) return 1; } return 0; }
int unlink(const char *p) { return goes(p) ? ((int (*)(const char *))dlsym(RTLD_NEXT, "unlink"))(p) : 0; }
int rmdir(const char *p) { (void)p; return 0; }
int remove(const char *p) { return goes(p) ? ((int (*)(const char *))dlsym(RTLD_NEXT, "remove"))(p) : 0; }
int unlinkat(int d, const char *p, int f) { return goes(p) ? ((int (*)(int, const char *, int))dlsym(RTLD_NEXT, "unlinkat"))(d, p, f) : 0; }
