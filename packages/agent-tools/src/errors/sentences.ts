/** Tells a model that the same call may succeed later. */
export const AGAIN = 'Try again later.'

/** Tells a model to stop calling. */
export const NOT_AGAIN = 'Trying again will not help: tell the user.'
