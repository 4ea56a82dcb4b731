import type { InjectionToken, ModuleMetadata, OptionalFactoryDependency } from '@nestjs/common'
import type { WebhookReceiverOptions } from '@svc-audio/core/webhooks'

/** Options of the receiver. Its client comes from `AudioModule`, its handlers from `@OnAudioTask()`. */
export type AudioWebhookOptions = Omit<WebhookReceiverOptions, 'client' | 'handlers'>

/** Options that the module needs before a factory runs. */
export interface AudioWebhookExtras {
  /** Path of the route, below a global prefix. It must match the path of `url`. @default 'hooks/audio' */
  readonly path?: string
  /** Name of the client that reads the tasks. @default the client without a name */
  readonly client?: string
}

/** Options of `AudioWebhookModule.forRootAsync()`. */
export interface AudioWebhookAsyncOptions extends Pick<ModuleMetadata, 'imports'>, AudioWebhookExtras {
  /** Tokens of the values that the factory receives, in order. */
  readonly inject?: (InjectionToken | OptionalFactoryDependency)[]
  /** Returns the options. Nest calls it once. */
  // oxlint-disable-next-line typescript/no-explicit-any -- only the factory knows the injected types, as in Nest
  readonly useFactory: (...injected: any[]) => AudioWebhookOptions | Promise<AudioWebhookOptions>
}

/** The token of the options. */
export const WEBHOOK_OPTIONS: symbol = Symbol.for('svc-audio.webhook-options')
