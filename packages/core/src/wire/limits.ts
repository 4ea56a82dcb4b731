/** Largest file for `POST /v1/files` and a transcription upload, in bytes: 512 MB, read as MiB (interface: Limits). */
export const MAX_FILE_BYTES: number = 512 * 1024 * 1024
/** Slowest `speed` of streaming speech (interface: Limits). */
export const SPEED_MIN = 0.25
/** Fastest `speed` of streaming speech (interface: Limits). */
export const SPEED_MAX = 4
/** Maximum voices on one page; the default is 20 (interface: List voices). */
export const VOICES_LIMIT_MAX = 150
/** Voices on one page where no `limit` is given (interface: List voices). */
export const VOICES_LIMIT_DEFAULT = 20
/** Maximum files on one page (interface: List files). */
export const FILES_LIMIT_MAX = 200
/** Largest `offset` of a file list (interface: List files). */
export const FILES_OFFSET_MAX = 100_000
