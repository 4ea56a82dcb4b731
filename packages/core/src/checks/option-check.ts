/**
 * Checks the options of a client, a call or a wait.
 * @throws ConfigurationError naming an unknown option or a wrong value
 */
export type CheckOptions = (options: object, of: 'client' | 'call' | 'wait') => void
