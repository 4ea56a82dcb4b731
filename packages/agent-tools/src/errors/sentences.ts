/** The model may repeat the call later. */
export const AGAIN = 'Try again later.'

/** The model must not repeat the call. */
export const NOT_AGAIN = 'Trying again will not help: tell the user.'
