/* Signs the text as the sketch stage signs a page's main text. */
#include "dedup/wet_record.h"

#include <string.h>

#include "base/json.h"
#include "dedup/text_words.h"

enum { NAMES = 3 };

void th_wet_maker_done(th_wet_maker *maker)
{
    th_arena_free(maker->arena);
    th_minhash_signer_free(maker->signer);
    th_buffer_done(&maker->json);
    th_buffer_done(&maker->names);
    *maker = (th_wet_maker){ .arena = NULL };
}

static void keep(th_wet_maker *maker, warc_view name)
{
    th_buffer_append(&maker->names, name.data ? name.data : "", name.data ? name.len : 0);
    th_buffer_append_char(&maker->names, '\0');
}

th_status th_wet_maker_begin(th_wet_maker *maker, const warc_record *record)
{
    const warc_view page = warc_record_get(record, WARC_FIELD_REFERS_TO);
    th_buffer_reset(&maker->names);
    keep(maker, page.len ? page : warc_record_get(record, WARC_FIELD_RECORD_ID));
    keep(maker, warc_record_get(record, WARC_FIELD_TARGET_URI));
    keep(maker, warc_record_get(record, WARC_FIELD_DATE));
    return maker->names.has_failed ? TH_NOMEM : TH_OK;
}

static void write_names(const th_wet_maker *maker, th_json *json)
{
    static const char *const keys[NAMES] = { "id", "url", "date" };
    const char *at = maker->names.data, *const end = at + maker->names.len;
    for (int i = 0; i < NAMES; i++) {
        const char *stop = memchr(at, '\0', (size_t)(end - at));
        if (stop > at)
            th_json_member(json, keys[i], (th_view){ at, (size_t)(stop - at) });
        at = stop + 1;
    }
}

static th_status prepare(th_wet_maker *maker)
{
    th_minhash_preset preset;
    if (!maker->arena && !(maker->arena = th_arena_new(0)))
        return TH_NOMEM;
    th_arena_reset(maker->arena);
    if (maker->signer)
        return TH_OK;
    const th_status status = th_minhash_parse("modern", &preset, NULL);
    return status == TH_OK ? th_minhash_signer_new(&preset, &maker->signer, NULL)
                           : status;
}

static void write_digest(th_json *json, th_view words)
{
    uint64_t digest[2];
    th_text_digest(words, digest);
    th_json_key(json, "digest");
    th_json_open_object(json);
    th_json_key(json, "text");
    th_json_hex_words(json, digest, 2, sizeof *digest);
    th_json_close_object(json);
}

static void write_signature(const th_wet_maker *maker, th_json *json,
                            const th_signature *signature)
{
    const th_minhash_preset *preset = th_minhash_signer_preset(maker->signer);
    th_json_key(json, "minhash");
    th_json_open_object(json);
    th_json_member_text(json, "preset", preset->name);
    th_json_key(json, "main");
    th_json_hex_words(json, signature->slots, signature->slot_count,
                      preset->slot_bits / 8);
    if (signature->is_short) {
        th_json_key(json, "short");
        th_json_open_array(json);
        th_json_string(json, TH_VIEW("main"));
        th_json_close_array(json);
    }
    th_json_close_object(json);
}

static th_status sign(th_wet_maker *maker, th_json *json, th_view text)
{
    th_signature signature = { 0 };
    th_status status = prepare(maker);
    if (status != TH_OK)
        return status;
    const th_view words = th_text_words(text, maker->arena);
    if (!words.data)
        return TH_NOMEM;
    if (!words.len)
        return TH_OK;
    status = th_minhash(maker->signer, words, maker->arena, &signature);
    if (status == TH_NO_TOKEN)
        return TH_OK;
    if (status != TH_OK)
        return status;
    write_digest(json, words);
    write_signature(maker, json, &signature);
    return TH_OK;
}

th_status th_wet_maker_json(th_wet_maker *maker, th_view text, bool has_text,
                            th_view *json)
{
    th_json record;
    th_buffer_reset(&maker->json);
    th_json_begin(&record, &maker->json);
    th_json_open_object(&record);
    write_names(maker, &record);
    const th_status status = has_text ? TH_OK : sign(maker, &record, text);
    if (has_text)
        th_json_member(&record, "text", text);
    th_json_close_object(&record);
    if (status != TH_OK)
        th_json_fail(&record, status);
    const th_status ended = th_json_end(&record);
    *json = th_buffer_view(&maker->json);
    return ended;
}
