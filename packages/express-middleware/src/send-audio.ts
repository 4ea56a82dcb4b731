import { pipeline } from 'node:stream/promises'
import { type AudioBody, relayAudio, SvcAudioError } from '@svc-audio/core'
import type { Response } from 'express'

/**
 * Sends audio as it arrives, as slowly as the browser takes it. Headers are sent with the first bytes, so that a failure
 * until then can still be answered; one after them cuts the connection.
 *
 * @param signal Aborts when the browser leaves.
 * @throws ProtocolError when the service sent something else than audio
 * @throws what reading the audio throws; the signal's reason when the browser has left
 */
export async function sendAudio(response: Response, audio: AudioBody, signal: AbortSignal): Promise<void> {
  const { contentType, contentLength, chunks } = await relayAudio(audio)
  setHeaders(response, contentType, contentLength)
  try {
    await pipeline(chunks, response)
  } catch (error) {
    // The signal fires for every end of the connection, also for the cut that a failed source has caused: what the client
    // library says goes first.
    throw signal.aborted && !SvcAudioError.isInstance(error) ? signal.reason : error
  }
}

function setHeaders(response: Response, contentType: string, contentLength: number | undefined): void {
  response.setHeader('content-type', contentType)
  if (contentLength !== undefined) response.setHeader('content-length', contentLength)
  response.setHeader('x-content-type-options', 'nosniff')
  // A proxy that collects the audio first would undo the streaming.
  response.setHeader('x-accel-buffering', 'no')
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-store, no-transform')
}
