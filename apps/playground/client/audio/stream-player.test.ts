import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { stopAll } from '../shell/panel-context.ts'
import { PcmTrack } from './pcm.ts'
import { volume } from './player.ts'
import type { PlayerInput, PlayerOutput } from './player.worklet.ts'
import { StreamPlayer } from './stream-player.ts'

const RATE = 1000
const FORMAT = { sampleRate: RATE, channels: 1, bitDepth: 16 }

const context = {
  currentTime: 0,
  destination: {},
  audioWorklet: { addModule: async () => {} },
  resume: vi.fn<() => Promise<void>>(async () => {}),
  suspend: vi.fn<() => Promise<void>>(async () => {}),
}

let sent: PlayerInput[]
let report: (output: Partial<PlayerOutput>) => void
let gains: number[]
let nodes: number
let players: StreamPlayer[]

class WorkletNode {
  readonly port = {
    addEventListener: (_name: string, listener: (event: { data: PlayerOutput }) => void) => {
      report = (output) =>
        listener({
          data: { type: 'position', generation: generation(), played: 0, queued: 0, starved: 0, at: 0, ...output },
        })
    },
    start: () => {},
    close: () => {},
    postMessage: (message: PlayerInput) => void sent.push(message),
  }
  constructor() {
    nodes += 1
  }
  connect(target: unknown): unknown {
    return target
  }
  disconnect(): void {}
}

class Gain {
  readonly gain = { setTargetAtTime: (value: number) => void gains.push(value) }
  connect(): void {}
}

/** The number of the last flush. */
function generation(): number {
  return sent.reduce((last, message) => (message.type === 'flush' ? message.generation : last), 0)
}

/** The values of all samples that were sent since the last flush, in units of the PCM. */
function samples(): number[] {
  const from = sent.findLastIndex(({ type }) => type === 'flush')
  const channels = sent.slice(from + 1).flatMap((message) => (message.type === 'audio' ? [message.channels[0]] : []))
  return channels.flatMap((channel) => Array.from(channel ?? [], (sample) => Math.round(sample * 0x80_00)))
}

const types = (): string[] => sent.map(({ type }) => type)

function ramp(from: number, frames: number): Uint8Array {
  return new Uint8Array(Int16Array.from({ length: frames }, (_, at) => from + at).buffer)
}

function create(track: PcmTrack, onStart?: (at: number) => void): StreamPlayer {
  const player = new StreamPlayer(track, onStart)
  players.push(player)
  return player
}

/** Lets reads of the track end. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await Promise.resolve()
}

beforeEach(() => {
  sent = []
  gains = []
  nodes = 0
  players = []
  context.resume.mockClear()
  context.suspend.mockClear()
  // A context stays open for its rate: every test has the same one.
  vi.stubGlobal('AudioContext', function Context() {
    return context
  })
  vi.stubGlobal('AudioWorkletNode', WorkletNode)
  vi.stubGlobal('GainNode', Gain)
})
afterEach(() => {
  for (const player of players) player.close()
  vi.unstubAllGlobals()
})

describe('a track that arrives', () => {
  test('a track that arrives is sent in order, and its end follows the last audio', async () => {
    const track = new PcmTrack(FORMAT)
    const player = create(track)
    await player.play()
    track.append(ramp(0, 300))
    await settle()
    track.append(ramp(300, 200))
    await settle()
    expect(types()).not.toContain('end')
    track.finish('complete')
    await settle()
    expect(samples()).toEqual(Array.from({ length: 500 }, (_, at) => at))
    expect(types().at(-1)).toBe('end')
    expect(types().filter((type) => type === 'end')).toHaveLength(1)
  })

  test('a track that arrives that is cut ends too, so what arrived is heard to its end', async () => {
    const track = new PcmTrack(FORMAT)
    const player = create(track)
    await player.play()
    track.append(ramp(0, 10))
    track.finish('cut')
    await settle()
    expect(types().slice(-2)).toEqual(['audio', 'end'])
    expect(player.state.get()).toMatchObject({ open: false, duration: 0.01 })
  })

  test('a track that arrives is sent ten seconds ahead at most, and more as it is played', async () => {
    const track = new PcmTrack(FORMAT)
    track.append(ramp(0, 15 * RATE))
    const player = create(track)
    await player.play()
    await settle()
    expect(samples()).toHaveLength(10 * RATE)
    report({ played: 2 * RATE, queued: 8 * RATE })
    await settle()
    expect(samples()).toHaveLength(12 * RATE)
    expect(
      Math.max(...sent.map((message) => (message.type === 'audio' ? (message.channels[0]?.length ?? 0) : 0))),
    ).toBe(RATE)
  })
})

describe('the state', () => {
  test('waits for audio, plays, waits again when audio is late, and ends', async () => {
    const track = new PcmTrack(FORMAT)
    const player = create(track)
    const status = (): string => player.state.get().status
    expect(status()).toBe('paused')
    await player.play()
    expect(status()).toBe('waiting')
    track.append(ramp(0, 100))
    await settle()
    report({ type: 'start', played: 10, queued: 90 })
    expect([status(), player.state.get().position]).toEqual(['playing', 0.01])
    report({ played: 100, queued: 0, starved: 50 })
    expect([status(), player.starvedSeconds]).toEqual(['waiting', 0.05])
    track.finish('complete')
    report({ type: 'end', played: 100 })
    expect([status(), player.state.get().position]).toEqual(['ended', 0.1])
    expect(context.suspend).toHaveBeenCalled()
  })

  test('the state plays on with an empty queue when nothing more arrives', async () => {
    const track = new PcmTrack(FORMAT)
    track.append(ramp(0, 10))
    track.finish('complete')
    const player = create(track)
    await player.play()
    await settle()
    report({ played: 10, queued: 0 })
    expect(player.state.get().status).toBe('playing')
  })

  test('the state of a paused player stays paused when a late report comes', async () => {
    const track = new PcmTrack(FORMAT)
    track.append(ramp(0, 100))
    const player = create(track)
    await player.play()
    player.pause()
    report({ played: 20, queued: 80 })
    expect(player.state.get().status).toBe('paused')
    expect(sent.findLast(({ type }) => type === 'pause')).toEqual({ type: 'pause', paused: true })
    expect(context.suspend).toHaveBeenCalledOnce()
  })

  test('the first sample is noted once for each start, with the time of the worklet', async () => {
    const onStart = vi.fn<(at: number) => void>()
    const track = new PcmTrack(FORMAT)
    track.append(ramp(0, 10))
    const player = create(track, onStart)
    await player.play()
    expect(onStart).not.toHaveBeenCalled()
    report({ type: 'start', played: 1, queued: 9, at: 1234 })
    report({ played: 2, queued: 8, at: 1250 })
    expect(onStart.mock.calls).toEqual([[1234]])
  })
})

describe('a seek', () => {
  test('a seek sends the audio of the new position under a new number, and ignores reports of the old one', async () => {
    const track = new PcmTrack(FORMAT)
    track.append(ramp(0, 500))
    const player = create(track)
    await player.play()
    await settle()
    player.seek(0.4)
    await settle()
    expect(samples()).toEqual(Array.from({ length: 100 }, (_, at) => 400 + at))
    report({ generation: 0, played: 300, queued: 200 })
    expect(player.state.get().position).toBe(0.4)
    report({ played: 50, queued: 50 })
    expect(player.state.get().position).toBe(0.45)
  })

  test.each([
    [-3, 0],
    [99, 0.5],
  ])('a seek to %d seconds stays inside of the received audio', (seconds, position) => {
    const track = new PcmTrack(FORMAT)
    track.append(ramp(0, 500))
    const player = create(track)
    player.seek(seconds)
    expect(player.state.get().position).toBe(position)
  })

  test('a seek after the end holds the new position, and play after the end begins at the start', async () => {
    const track = new PcmTrack(FORMAT)
    track.append(ramp(0, 100))
    track.finish('complete')
    const player = create(track)
    await player.play()
    await settle()
    report({ type: 'end', played: 100 })
    await player.play()
    await settle()
    expect(player.state.get()).toMatchObject({ status: 'waiting', position: 0 })
    expect(samples()).toHaveLength(100)
    report({ type: 'end', played: 100 })
    player.seek(0.05)
    expect(player.state.get()).toMatchObject({ status: 'paused', position: 0.05 })
  })
})

test('two clicks before the context is open make one node', async () => {
  const track = new PcmTrack(FORMAT)
  const player = create(track)
  await Promise.all([player.play(), player.play()])
  expect(nodes).toBe(1)
})

test('a pause before the context is open wins', async () => {
  const track = new PcmTrack(FORMAT)
  const player = create(track)
  const played = player.play()
  player.pause()
  await played
  expect(sent).not.toContainEqual({ type: 'pause', paused: false })
  expect(context.resume).not.toHaveBeenCalled()
})

test('the volume of the page is followed until the player is closed', async () => {
  const player = create(new PcmTrack(FORMAT))
  await player.play()
  volume.set(0.3)
  player.close()
  volume.set(1)
  expect(gains).toEqual([0.3])
})

test('a closed player stops its worklet, and Escape has nothing to stop', async () => {
  const track = new PcmTrack(FORMAT)
  const player = create(track)
  await player.play()
  player.close()
  expect(sent.at(-1)).toEqual({ type: 'stop' })
  expect(stopAll()).toBe(false)
  track.append(ramp(0, 10))
  await settle()
  expect(sent.at(-1)).toEqual({ type: 'stop' })
})
