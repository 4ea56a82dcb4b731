import { createParamDecorator } from '@nestjs/common'
import { disconnectSignal } from '@svc-audio/upload'
import { assertHttp, nativeResponse } from './platform.ts'

/**
 * A parameter: an `AbortSignal` that aborts when the client disconnects before it has the whole response. Pass it to calls
 * whose result only this client needs. On a message handler, a gateway or a resolver it fails with a ConfigurationError.
 *
 * @example
 * speak(@Query('text') input: string, @DisconnectSignal() signal: AbortSignal) {
 *   return speechFile(() => this.audio.speech.create({ model, input, voice_id }, { signal }))
 * }
 */
export const DisconnectSignal: () => ParameterDecorator = createParamDecorator((_data: unknown, context) => {
  assertHttp(context, '@DisconnectSignal()')
  return disconnectSignal(nativeResponse(context))
})
