/* undo: puts files back to what they were at a checkpoint. Used by ftrun, before any rank starts;
 * libft_undo.a has it alone, without the runtime. Thread rule: single threaded. */
#ifndef FT_FILES_UNDO_H
#define FT_FILES_UNDO_H

/* Undoes, over the undo folders of all ranks that roll back together, every change of files made
 * after checkpoint `number` (-1: since the start), and removes the records. A file that several
 * ranks changed is put back once, by the earliest record: so all folders must be given at once.
 * Returns 0, or -errno with the path that could not be read or put back in `failed` (3072 bytes):
 * -EBADMSG a damaged record or copy, -ESTALE a file that lost bytes to somebody else; in these
 * cases nothing was changed. Any other error can be tried again: the records are still there. */
int ft_undo_apply(const char *const *folders, int count, int number, char *failed);

/* Has one of `others` (undo folders of ranks that do not roll back) a record of a path that
 * `folders` would put back to checkpoint `number`? 0: no; -EBUSY with the path in `failed`; or
 * another -errno as above. Nothing is changed. */
int ft_undo_shared(const char *const *folders, int count, int number, const char *const *others,
                   int other_count, char *failed);

/* Removes the records that precede checkpoint `number`. 0 or -errno. */
int ft_undo_drop(const char *folder, int number);

#endif
