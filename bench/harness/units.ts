/** Bytes in a kilobyte, here and in every bar. */
export const KB = 1024

/** Bytes in a megabyte, here and in every bar: 1,048,576. */
export const MB = 1024 * KB
