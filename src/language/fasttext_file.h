/*
 * Reads fastText's model files, .bin and .ftz. Every number is checked, so the rest of the
 * program can trust the result: damaged and foreign files fail with a message.
 */
#ifndef TH_FASTTEXT_FILE_H
#define TH_FASTTEXT_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "thresher/status.h"

/** The functions from scores to probabilities, as numbers in files. */
typedef enum th_fasttext_loss {
    TH_FASTTEXT_TREE = 1,  /* hierarchical softmax */
    TH_FASTTEXT_NEGATIVES, /* negative sampling: a sigmoid for each label */
    TH_FASTTEXT_SOFTMAX,
    TH_FASTTEXT_ONE_VS_ALL /* like negative sampling */
} th_fasttext_loss;

/** Centroids of a product quantiser: 256 for each part of a row. */
typedef struct th_fasttext_quantiser {
    int32_t parts, width,
        last_width; /* widths: numbers in a part, and in the last part */
    float *centroids;
} th_fasttext_quantiser;

/** A matrix, plain or quantised. */
typedef struct th_fasttext_matrix {
    int64_t rows;
    float *weights; /* row by row; NULL if quantised */
    uint8_t *codes; /* parts of row 0, of row 1, ...: numbers of centroids */
    th_fasttext_quantiser quantiser;
    uint8_t *norm_codes;         /* of rows; NULL: every norm is 1 */
    th_fasttext_quantiser norms; /* with rows of one number */
} th_fasttext_matrix;

/** Content of a model file. All memory is owned: th_fasttext_file_done frees it. */
typedef struct th_fasttext_file {
    int32_t dimensions;
    int32_t word_ngram;               /* maximum words of an n-gram; 1: no n-grams */
    int32_t letters_min, letters_max; /* of an n-gram in a word; max 0: no n-grams */
    int32_t buckets;                  /* of n-grams */
    th_fasttext_loss loss;
    int32_t words, labels;     /* entries of the dictionary: words, then labels */
    char *text;                /* entries, each with its final NUL */
    uint64_t *entry_at;        /* offset of each entry in `text` */
    int64_t *label_counts;     /* in the training set */
    int64_t kept;              /* buckets that have rows; -1 if all buckets have rows */
    int32_t (*kept_rows)[2];   /* bucket, and its row after the rows of words */
    th_fasttext_matrix input;  /* of words, then of buckets */
    th_fasttext_matrix output; /* of labels */
    uint64_t checksum;         /* XXH3-64 of the file */
} th_fasttext_file;

/**
 * Reads the rest of a file.
 * @param out  the model on TH_OK, else empty
 * @return TH_OK if it is a classifier with all its parts, all numbers are in range, and
 *         no bytes follow. TH_USAGE if not, with the reason in err. TH_IO. TH_NOMEM
 * Linear; allocates at most twice the bytes that the file has.
 */
th_status th_fasttext_file_read(FILE *file, th_fasttext_file *out, th_error *err);
void th_fasttext_file_done(th_fasttext_file *file);

#endif
