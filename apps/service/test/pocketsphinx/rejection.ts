/** What a promise rejects with, to be looked at later than it happens. Rejects itself when the promise does not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('It did not reject')
}
