/** The model may repeat the call later. */
export const AGAIN = 'Try again in a minute.'

/** The model must not repeat the call. */
export const NOT_AGAIN = 'Trying again will not help: tell the user.'
