import { type VoiceEvent, voiceEvent } from '@svc-audio/voice'
import { describe, expect, test } from 'vitest'
import { EventChannel } from './event-channel.ts'

const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

const audio = (): VoiceEvent => voiceEvent({ type: 'tts_chunk', audio: new Uint8Array(2), format: FORMAT })
const sentence = (): VoiceEvent => voiceEvent({ type: 'tts_sentence', text: 'One.' })
const event = (type: 'user_input' | 'paused' | 'resumed' | 'turn_end'): VoiceEvent => voiceEvent({ type })

/** Ends the channel and reads what is in it. */
async function read(channel: EventChannel): Promise<string[]> {
  channel.end()
  const types: string[] = []
  for await (const { type } of channel) types.push(type)
  return types
}

describe('a held channel', () => {
  test('lets events overtake audio, but not the end of the turn', async () => {
    const channel = new EventChannel()
    for (const pushed of [sentence(), audio(), event('turn_end')]) channel.push(pushed)
    channel.hold()
    channel.push(event('paused'))
    const reader = channel[Symbol.asyncIterator]()
    expect((await reader.next()).value).toMatchObject({ type: 'paused' })
    channel.release()
    expect(await read(channel)).toEqual(['tts_sentence', 'tts_chunk', 'turn_end'])
  })

  test('hands out the pause before what ends it, though nobody has read in between', async () => {
    const channel = new EventChannel()
    channel.push(audio())
    channel.hold()
    channel.push(event('user_input'))
    channel.push(event('paused'))
    channel.push(event('turn_end'))
    channel.release(event('resumed'))
    expect(await read(channel)).toEqual(['user_input', 'paused', 'resumed', 'tts_chunk', 'turn_end'])
  })

  test('that is released at once loses nothing', async () => {
    const channel = new EventChannel()
    channel.hold()
    channel.push(audio())
    channel.push(audio())
    channel.release()
    expect(await read(channel)).toEqual(['tts_chunk', 'tts_chunk'])
  })
})

test('dropped audio makes room, and other events stay', async () => {
  const channel = new EventChannel(1)
  channel.push(audio())
  const room = channel.room(new AbortController().signal)
  channel.push(event('user_input'))
  channel.dropAudio()
  await room
  expect(await read(channel)).toEqual(['user_input'])
})

test('audio waits for the room of the player, and other events pass', async () => {
  const channel = new EventChannel()
  let hasRoom = false
  channel.playInto(() => hasRoom)
  channel.push(audio())
  channel.push(event('user_input'))
  const reader = channel[Symbol.asyncIterator]()
  expect((await reader.next()).value).toMatchObject({ type: 'user_input' })
  hasRoom = true
  expect((await reader.next()).value).toMatchObject({ type: 'tts_chunk' })
})

test('a failure is thrown after the events before it, without the audio that is held', async () => {
  const channel = new EventChannel()
  channel.hold()
  channel.push(audio())
  channel.push(event('paused'))
  channel.end({ error: new Error('gone') })
  const reader = channel[Symbol.asyncIterator]()
  expect((await reader.next()).value).toMatchObject({ type: 'paused' })
  await expect(reader.next()).rejects.toThrow('gone')
})

test('an abort ends the wait for room and for the reader', async () => {
  const channel = new EventChannel(0)
  const controller = new AbortController()
  const waits = Promise.all([channel.room(controller.signal), channel.passed(controller.signal)])
  controller.abort()
  await expect(waits).resolves.toEqual([undefined, undefined])
})
