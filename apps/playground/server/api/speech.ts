import { pipeline } from 'node:stream/promises'
import { type AudioClient, gatewayAnswer, type SpeechStream } from '@svc-audio/core'
import { disconnectSignal } from '@svc-audio/upload'
import type { RequestHandler } from 'express'
import { MAX_SPEECH_CHARACTERS } from '../../shared/api.ts'
import { readSpeechRequest } from './speech-request.ts'

/**
 * Speaks a text and forwards each of the interface's speech events at once. The events let the browser detect a
 * truncated stream. The key stays on the server. A disconnect aborts the call to the service.
 */
export function streamSpeech(client: AudioClient): RequestHandler {
  return async (request, response) => {
    const { text, voice, speed } = readSpeechRequest(request.body, MAX_SPEECH_CHARACTERS)
    const signal = disconnectSignal(response)
    const body = { model: 'svc-tts-1.5-flash', input: text, voice_id: voice, speed } as const
    const speech = await client.speech.stream(body, { signal })
    response.set({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      // Lets a developer find the task in the service.
      ...(speech.taskId === undefined ? {} : { 'x-task-id': speech.taskId }),
    })
    try {
      await pipeline(frames(speech, signal), response)
    } catch (error) {
      // The client has disconnected.
      if (!signal.aborted) throw error
    }
  }
}

/** Yields each event as a frame. A failure becomes the interface's `error` event, without the service's message. */
async function* frames(speech: SpeechStream, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  try {
    for await (const event of speech.events()) yield frame(event)
  } catch (error) {
    if (signal.aborted) throw error
    const answer = gatewayAnswer(error)
    if (answer === undefined) throw error
    yield frame({ type: 'error', error: { code: answer.code, message: answer.message } })
  }
}

function frame(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`
}
