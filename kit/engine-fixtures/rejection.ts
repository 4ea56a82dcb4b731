/** Resolves with the rejection of a promise, for a later check. Rejects if the promise resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('It did not reject')
}
