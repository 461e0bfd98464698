#pragma once
#include <curl/curl.h>

// Swift calls no functions with arguments of any type and number.
static inline CURLcode trackme_curl_number(CURL *handle, CURLoption option, long value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode trackme_curl_text(CURL *handle, CURLoption option, const char *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode trackme_curl_pointer(CURL *handle, CURLoption option, void *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode trackme_curl_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode trackme_curl_reader(CURL *handle, size_t (*reader)(char *, size_t, size_t, void *), void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_READDATA, context);
  return code ? code : curl_easy_setopt(handle, CURLOPT_READFUNCTION, reader);
}
static inline CURLcode trackme_curl_listener(CURL *handle, int (*listener)(CURL *, curl_infotype, char *, size_t, void *), void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_DEBUGDATA, context);
  return code ? code : curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, listener);
}
static inline CURLcode trackme_curl_progress(
    CURL *handle, int (*progress)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t), void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
  return code ? code : curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress);
}
static inline long trackme_curl_connections(CURL *handle) {
  long count = 0;
  return curl_easy_getinfo(handle, CURLINFO_NUM_CONNECTS, &count) ? -1 : count;
}
