import { type DynamicModule, Module, type Provider } from '@nestjs/common'
import { DiscoveryModule } from '@nestjs/core'
import type { AudioClient } from '@svc-audio/core'
import { webhookController } from './audio-webhook-controller.ts'
import {
  type AudioWebhookAsyncOptions,
  type AudioWebhookExtras,
  type AudioWebhookOptions,
  WEBHOOK_OPTIONS,
} from './audio-webhook-options.ts'
import { AudioWebhooks, WEBHOOK_CLIENT } from './audio-webhooks.ts'
import { missingClient, sharedClientToken } from './client-token.ts'

/**
 * Receives the callbacks of finished tasks: a `POST` route whose addresses are signed, and `@OnAudioTask()` handlers. The
 * task itself is read from the service, so a forged body has no effect. Inject `AudioWebhooks` to create the addresses.
 *
 * It needs `AudioModule` with `isGlobal`, or among the `imports` of `forRootAsync()`.
 *
 * @example
 * imports: [AudioWebhookModule.forRoot({ url: 'https://my.app/hooks/audio', secret })]
 */
@Module({})
// oxlint-disable-next-line typescript/no-extraneous-class -- a Nest module is a class
export class AudioWebhookModule {
  /** Takes the options directly. Wrong options stop the start of the app with a `ConfigurationError`. */
  static forRoot({ path, client, ...options }: AudioWebhookOptions & AudioWebhookExtras): DynamicModule {
    return dynamicModule({ path, client }, { provide: WEBHOOK_OPTIONS, useValue: options })
  }

  /** Takes the options from other providers. */
  static forRootAsync({ path, client, imports, inject, useFactory }: AudioWebhookAsyncOptions): DynamicModule {
    const options = { provide: WEBHOOK_OPTIONS, useFactory, ...(inject === undefined ? {} : { inject }) }
    return dynamicModule({ path, client }, options, imports)
  }
}

function dynamicModule(
  { path = 'hooks/audio', client }: { readonly path: string | undefined; readonly client: string | undefined },
  options: Provider,
  imports: DynamicModule['imports'] = [],
): DynamicModule {
  return {
    module: AudioWebhookModule,
    imports: [DiscoveryModule, ...imports],
    controllers: [webhookController(path)],
    providers: [options, clientProvider(client), AudioWebhooks],
    exports: [AudioWebhooks],
  }
}

/** A dynamic module sees only its own imports and global modules, not the imports beside it. */
const remedy = (call: string): string =>
  `Set isGlobal on ${call}, or import it in the \`imports\` of AudioWebhookModule.forRootAsync().`

function clientProvider(name: string | undefined): Provider {
  return {
    provide: WEBHOOK_CLIENT,
    inject: [{ token: sharedClientToken(name), optional: true }],
    useFactory: (client: AudioClient | undefined) => {
      if (client === undefined) throw missingClient('AudioWebhookModule', name, remedy)
      return client
    },
  }
}
