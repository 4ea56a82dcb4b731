/** An error as a message between threads. Cloning alone would lose its name and its codes. */
export interface SentError {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly code: unknown
  readonly errcode: unknown
}

/** Makes the message of an error. */
export function packError(error: unknown): SentError {
  if (!(error instanceof Error))
    return { name: 'Error', message: String(error), stack: undefined, code: undefined, errcode: undefined }
  const { name, message, stack } = error
  return {
    name,
    message,
    stack,
    code: 'code' in error ? error.code : undefined,
    errcode: 'errcode' in error ? error.errcode : undefined,
  }
}

/** Makes the error of a message. `errorCode` reads it as it read the original. */
export function unpackError({ message, ...rest }: SentError): Error {
  const known = Object.entries(rest).filter(([, value]) => value !== undefined)
  return Object.assign(new Error(message), Object.fromEntries(known))
}
