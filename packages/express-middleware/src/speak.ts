import {
  checkSpeakOptions,
  sendAudio,
  sendEvents,
  sendPcm,
  type SpeakHandlerOptions,
  speakCall,
  type Uncalled,
} from '@svc-audio/upload'
import type { Request, RequestHandler } from 'express'
import { callHandler } from './respond-audio.ts'
import { sendTask } from './send-task.ts'
import { textOf } from './text-of.ts'

/** Options of {@link speak}. Those that may be functions get the request. */
export type SpeakOptions = SpeakHandlerOptions<Request>

/**
 * A handler that answers with spoken text, sent on while the service synthesizes it. When the client disconnects, the
 * call is aborted. A failure before the first audio goes to `next`, safe to show; a later one closes the connection, so
 * that a client never takes a part for the whole. `HEAD` makes no call. A failed call is not retried unless asked.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.post('/speak', express.json(), speak({ client, voice_id: 'rms' }))
 */
export function speak(given: SpeakOptions, ..._uncalled: Uncalled<'speak'>[]): RequestHandler {
  const options = checkSpeakOptions(given, 'speak')
  return callHandler(options, async (request, response, callOptions, signal) => {
    const outcome = await speakCall(options, { context: request, options: callOptions, text: textOf })
    if (outcome.respond === 'audio') await sendAudio(response, outcome.audio, signal)
    else if (outcome.respond === 'pcm') await sendPcm(response, outcome.speech, signal)
    else if (outcome.respond === 'sse') await sendEvents(response, outcome.speech.events(), { signal })
    else sendTask(response, outcome.task.creation)
  })
}
