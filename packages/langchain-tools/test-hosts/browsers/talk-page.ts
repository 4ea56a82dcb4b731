import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { dirname, extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serverUrl } from '@svc-audio/testing'
import { type VoiceCall, type VoiceEvent, type VoiceEventBody, voiceEvent, VoiceServer } from '@svc-audio/voice'
import { attachVoice } from '@svc-audio/voice/node'

/** Lets a test unplug the microphone and stop the sound. */
const HOOKS = `<script>
  Object.assign(window, { microphones: [], contexts: [], isUnplugged: false })
  const { mediaDevices } = navigator
  const open = mediaDevices.getUserMedia.bind(mediaDevices)
  mediaDevices.getUserMedia = async (constraints) => {
    if (window.denial) throw new DOMException('no', window.denial)
    const stream = await open(constraints)
    microphones.push(stream)
    return stream
  }
  window.unplug = () => {
    for (const track of microphones.at(-1).getTracks()) {
      track.stop()
      track.dispatchEvent(new Event('ended'))
    }
  }
  const Context = AudioContext
  window.AudioContext = class extends Context {
    constructor(options) {
      super(options)
      contexts.push(this)
    }
    resume() {
      return window.isBlocked ? new Promise(() => {}) : super.resume()
    }
  }
</script>`

/** The page of the quick start, with these hooks. */
const QUICK_START = new URL('../../../../examples/voice-agent/index.html', import.meta.url)

/** The page: it keeps what the client tells, and what its player reports. */
const HTML = `<!doctype html>
${HOOKS}
<script type="module">
  import { sileroSpeech, VoiceClient } from '/dist/browser/index.js'
  Object.assign(window, { reports: [], statuses: [], events: [], ends: [] })
  const Original = AudioWorkletNode
  window.AudioWorkletNode = class extends Original {
    constructor(context, name, options) {
      super(context, name, options)
      if (name !== 'svc-audio-player') return
      this.port.addEventListener('message', ({ data }) => reports.push(data))
      window.onPlayer?.(this, context)
    }
  }
  window.begin = async (options) => {
    window.client = new VoiceClient({
      onStatus: (status) => statuses.push(status),
      onEvent: ({ type }) => events.push(type),
      onEnd: (end) => ends.push(end),
      ...options,
    })
    await client.start()
  }
  window.tone = (hertz, level) => {
    const context = new AudioContext()
    const oscillator = new OscillatorNode(context, { frequency: hertz })
    window.loudness = new GainNode(context, { gain: level })
    const output = new MediaStreamAudioDestinationNode(context)
    oscillator.connect(loudness).connect(output)
    oscillator.start()
    return output.stream
  }
  // Silero VAD, with the files of the page's server.
  window.silero = (graph = '/silero/silero_vad_16k_op15.onnx') =>
    sileroSpeech({ module: '/onnx/ort.mjs', wasm: '/onnx/ort-wasm-simd-threaded.wasm', graph })
  // What a user says, again and again, beside a tone of 1 kHz.
  window.user = async (level) => {
    const context = new AudioContext()
    const audio = await context.decodeAudioData(await (await fetch('/recording.wav')).arrayBuffer())
    const output = new MediaStreamAudioDestinationNode(context)
    window.voice = new GainNode(context, { gain: 0 })
    const source = new AudioBufferSourceNode(context, { buffer: audio, loop: true })
    source.connect(voice).connect(output)
    source.start()
    const oscillator = new OscillatorNode(context, { frequency: 1000 })
    window.beep = new GainNode(context, { gain: 0 })
    oscillator.connect(beep).connect(output)
    oscillator.start()
    return output.stream
  }
  // A room: what the player plays comes back into the microphone.
  window.echo = (level) => {
    const room = new AudioContext()
    const output = new MediaStreamAudioDestinationNode(room)
    window.onPlayer = (player, context) => {
      const loudspeaker = new MediaStreamAudioDestinationNode(context)
      player.connect(loudspeaker)
      const gain = new GainNode(room, { gain: level })
      room.createMediaStreamSource(loudspeaker.stream).connect(gain).connect(output)
    }
    return output.stream
  }
  window.isLoaded = true
</script>`

const DIST = dirname(fileURLToPath(import.meta.resolve('@svc-audio/voice')))
/** The folder of a package that voice knows. */
const folderOf = (name: string): string =>
  dirname(createRequire(join(DIST, 'index.js')).resolve(`@svc-audio/${name}/package.json`))
/** What the page's server has: folders by the beginning of an address. */
const FOLDERS: Readonly<Record<string, string>> = {
  dist: DIST,
  onnx: join(folderOf('onnx-runtime'), 'dist/files'),
  silero: join(folderOf('silero-vad'), 'files'),
}
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
}

/** What a page says, and what the test answers. */
export class TalkPage {
  /** What `user()` of the page says: a WAV file. */
  recording: Uint8Array = new Uint8Array()
  /** Conversations so far, over all connections. */
  calls = 0
  /** Frames of the microphone since `listen()`. */
  #frames: Int16Array[] = []
  #say: ((event: VoiceEvent) => void) | undefined
  readonly #http: Server
  readonly #sockets = new Set<Socket>()
  readonly #voice: VoiceServer<undefined, { calls: number }>
  #close: () => Promise<void> = async () => {}

  private constructor() {
    this.#http = createServer((request, response) => {
      const path = normalize(request.url ?? '/').replace('/svc-audio-voice/', '/dist/')
      if (path === '/quick-start') {
        void readFile(QUICK_START, 'utf8').then((page) =>
          response.writeHead(200, { 'content-type': 'text/html' }).end(page.replace('<title>', `${HOOKS}<title>`)),
        )
        return
      }
      if (path === '/recording.wav') {
        response.writeHead(200, { 'content-type': 'audio/wav' }).end(this.recording)
        return
      }
      const [, name = '', ...rest] = path.split('/')
      const folder = FOLDERS[name]
      if (folder === undefined) {
        response.writeHead(200, { 'content-type': 'text/html' }).end(HTML)
        return
      }
      const file = join(folder, ...rest)
      readFile(file).then(
        (content) => response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(content),
        () => response.writeHead(404).end(),
      )
    })
    this.#http.on('upgrade', (_request, socket: Socket) => this.#sockets.add(socket))
    this.#voice = new VoiceServer({
      createState: () => ({ calls: 0 }),
      converse: (call) => this.#converse(call),
      onError: () => {},
    })
  }

  static async start(): Promise<TalkPage> {
    const page = new TalkPage()
    const attached = attachVoice(page.#http, { voice: page.#voice })
    page.#http.listen(0, '127.0.0.1')
    await once(page.#http, 'listening')
    page.#close = async () => {
      await attached.close()
      page.#http.closeAllConnections()
      page.#http.close()
    }
    return page
  }

  get url(): string {
    return serverUrl(this.#http)
  }

  /** Seconds of the answer that the page has played. */
  playedSeconds: () => number = () => 0

  /** Sends an event. */
  say(body: VoiceEventBody): void {
    this.#say?.(voiceEvent(body))
  }

  /** Cuts all connections, without a closing handshake. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
    this.#sockets.clear()
  }

  /** Forgets what was heard so far. */
  listen(): void {
    this.#frames = []
  }

  /** Seconds of sound since `listen()`, its loudest sample and its frequency. */
  get heard(): { readonly seconds: number; readonly peak: number; readonly hertz: number } {
    const samples = this.#frames.flatMap((frame) => [...frame])
    let [peak, crossings] = [0, 0]
    for (const [index, sample] of samples.entries()) {
      peak = Math.max(peak, Math.abs(sample))
      if (sample >= 0 !== (samples[index - 1] ?? sample) >= 0) crossings += 1
    }
    const seconds = samples.length / 16_000
    return { seconds, peak, hertz: seconds === 0 ? 0 : crossings / 2 / seconds }
  }

  close(): Promise<void> {
    return this.#close()
  }

  async *#converse(call: VoiceCall<undefined, { calls: number }>): AsyncGenerator<VoiceEvent> {
    call.state.calls += 1
    this.calls = call.state.calls
    this.playedSeconds = call.playedSeconds
    const events = new TransformStream<VoiceEvent, VoiceEvent>(undefined, { highWaterMark: 1000 })
    const writer = events.writable.getWriter()
    this.#say = (event) => void writer.write(event)
    const listening = (async () => {
      for await (const piece of call.microphone) this.#frames.push(new Int16Array(Uint8Array.from(piece).buffer))
      await writer.close()
    })()
    for await (const event of events.readable) yield event
    await listening
  }
}
