export { BaseClient, PureAudioClient } from './client.ts'
export { checkOptions, CLIENT, completeOptions, withParts } from './complete-options.ts'
export type { AudioClientOptions, ClientOptions, DerivedClientOptions, PureAudioClientOptions } from './options.ts'
