'use client'

import { useChat } from '@ai-sdk/react'
import type { UIMessage } from 'ai'
import { type ReactNode, useRef, useState } from 'react'

/** A chat: record a question, read and hear the answer. */
export default function Page(): ReactNode {
  const [error, setError] = useState('')
  const fail = (reason: unknown): void => setError(String(reason))
  const { messages, sendMessage, status } = useChat({
    onFinish: ({ message }) => void speak(textOf(message)).catch(fail),
    onError: fail,
  })
  const recorder = useRef<MediaRecorder | undefined>(undefined)
  const [recording, setRecording] = useState(false)

  async function toggle(): Promise<void> {
    setRecording(!recording)
    if (recorder.current === undefined) {
      recorder.current = await record()
      return
    }
    const audio = await stop(recorder.current)
    recorder.current = undefined
    const text = await transcribe(audio)
    if (text !== '') await sendMessage({ text })
  }

  return (
    <main>
      {messages.map((message) => (
        <p key={message.id}>
          <b>{message.role}</b> {textOf(message)}
        </p>
      ))}
      <button type="button" disabled={status !== 'ready'} onClick={() => void toggle().catch(fail)}>
        {recording ? 'Send' : 'Speak'}
      </button>
      <p role="alert">{error}</p>
    </main>
  )
}

function textOf({ parts }: UIMessage): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

async function record(): Promise<MediaRecorder> {
  const recorder = new MediaRecorder(await navigator.mediaDevices.getUserMedia({ audio: true }))
  recorder.start()
  return recorder
}

/** Ends a recording, and frees the microphone. */
async function stop(recorder: MediaRecorder): Promise<Blob> {
  const { promise, resolve } = Promise.withResolvers<Blob>()
  recorder.addEventListener('dataavailable', ({ data }) => resolve(data), { once: true })
  recorder.stop()
  for (const track of recorder.stream.getTracks()) track.stop()
  return promise
}

async function transcribe(audio: Blob): Promise<string> {
  const response = await fetch('/api/transcribe', { method: 'POST', body: audio })
  if (!response.ok) throw new Error(`The recording was not transcribed: ${response.status}`)
  const { text }: { readonly text: string } = await response.json()
  return text
}

async function speak(text: string): Promise<void> {
  const response = await fetch('/api/speech', { method: 'POST', body: text })
  if (!response.ok) throw new Error(`The answer was not spoken: ${response.status}`)
  const address = URL.createObjectURL(await response.blob())
  const audio = new Audio(address)
  audio.addEventListener('ended', () => URL.revokeObjectURL(address), { once: true })
  await audio.play()
}
