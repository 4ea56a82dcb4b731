export type { CheckOptions, CheckRequest } from './checks/index.ts'
export { BaseClient, type PureAudioClientOptions } from './client/index.ts'
export * from './errors.ts'
export * from './exports.ts'
export { Resource } from './resources/index.ts'
export {
  type CallObserver,
  mayRepeat,
  type Observe,
  type ObservedCall,
  type RequestBody,
  type ResponseBody,
  type WatchUnread,
} from './transport/index.ts'
export type { FileAccess, NameUpload, OpenedUpload } from './uploads/index.ts'
export type * from './wire/index.ts'
