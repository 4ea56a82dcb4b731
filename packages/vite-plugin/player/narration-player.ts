import { PageBlocks } from './page-blocks.ts'
import { type Captions, parseVtt } from './parse-vtt.ts'
import { buildPlayer, type PlayerParts, showIcon } from './template.ts'

/** A step of the arrow keys, in seconds. */
const STEP_SECONDS = 5
/** Interval of requests for partial captions, in milliseconds. */
const RELOAD_MS = 1000
/** A server has no elements. An import of the player must not fail there. */
const Base: typeof HTMLElement =
  globalThis.HTMLElement ??
  class {
    readonly isConnected = false
  }

/**
 * `<narration-player>`: an accessible player of a narration, with painted captions.
 *
 * Attributes: `src` and `captions` are addresses. `duration` is the length in seconds, if known. `label` is the title of the
 * text. `for` is the id of the element that is read: the player marks its current paragraph (`[data-narration-current]`),
 * and a click on a paragraph plays it. Instead of `src` and `captions`, the element may contain an `<audio>` with a
 * `<track>`, for browsers without scripts.
 *
 * Keys: Space on the slider and K play or pause, ← and → seek by 5 seconds, with Shift by a paragraph, `<` and `>` change the
 * speed, C shows or hides captions.
 */
export class NarrationPlayer extends Base {
  static readonly observedAttributes: readonly string[] = ['src', 'captions', 'duration', 'for', 'label']
  #parts: PlayerParts | undefined
  #captions: Captions = { cues: [], isPartial: false }
  #blocks: PageBlocks | undefined
  #reload: ReturnType<typeof setTimeout> | undefined
  #loading: AbortController | undefined

  connectedCallback(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    const parts = buildPlayer(root, this.getAttribute('label') ?? 'Narration')
    this.#parts = parts
    const { audio, play, previous, next, seek, speed, captions } = parts
    audio.addEventListener('timeupdate', () => this.#paint())
    // A framework may have rendered the page again since.
    audio.addEventListener('play', () => this.#match())
    for (const event of ['play', 'pause', 'ended', 'durationchange', 'seeked', 'ratechange']) {
      audio.addEventListener(event, () => this.#paint())
    }
    audio.addEventListener('error', () => this.#fail('This narration cannot be played.'))
    play.addEventListener('click', () => this.#toggle())
    previous.addEventListener('click', () => this.#goParagraph(-1))
    next.addEventListener('click', () => this.#goParagraph(1))
    seek.addEventListener('input', () => this.#goTo(Number(seek.value)))
    speed.addEventListener('change', () => (audio.playbackRate = Number(speed.value)))
    captions.addEventListener('click', () => this.#toggleCaptions())
    root.addEventListener('keydown', (event) => this.#key(event))
    this.#open()
  }

  disconnectedCallback(): void {
    this.#parts?.audio.pause()
    this.#close()
    this.#parts = undefined
  }

  attributeChangedCallback(_: string, before: string | null, after: string | null): void {
    if (this.#parts !== undefined && before !== after) this.#open()
  }

  /** The `<audio>` of the player; `undefined` before the element is connected. */
  get audio(): HTMLAudioElement | undefined {
    return this.#parts?.audio
  }

  /** Loads audio and captions from the attributes. */
  #open(): void {
    this.#close()
    const { audio } = this.#parts ?? {}
    if (audio === undefined) return
    const inner = this.querySelector('audio')
    const src = this.getAttribute('src') ?? inner?.getAttribute('src') ?? ''
    this.#parts?.problem.setAttribute('hidden', '')
    if (src === '') audio.removeAttribute('src')
    else if (audio.getAttribute('src') !== src) audio.src = src
    this.hidden = src === ''
    void this.#loadCaptions(this.getAttribute('captions') ?? inner?.querySelector('track')?.getAttribute('src') ?? '')
    this.#paint()
  }

  #close(): void {
    clearTimeout(this.#reload)
    this.#loading?.abort()
    this.#blocks?.end()
    this.#blocks = undefined
    this.#captions = { cues: [], isPartial: false }
  }

  async #loadCaptions(address: string): Promise<void> {
    if (address === '') return
    const loading = new AbortController()
    this.#loading = loading
    const answer = await fetch(address, { signal: loading.signal })
      .then((response) => (response.ok ? response.text() : ''))
      .catch(() => '')
    if (loading.signal.aborted) return
    const wasPartial = this.#captions.isPartial
    this.#captions = parseVtt(answer)
    this.#match()
    this.#paint()
    if (wasPartial && !this.#captions.isPartial) this.#reopen()
    if (this.#captions.isPartial) this.#reload = setTimeout(() => void this.#loadCaptions(address), RELOAD_MS)
  }

  /** Reloads a finished stream of the dev server: the stream had no length and could not seek. */
  #reopen(): void {
    const { audio } = this.#parts ?? {}
    if (audio === undefined || Number.isFinite(audio.duration) || audio.readyState === 0) return
    const { currentTime, paused, playbackRate } = audio
    const goOn = (): void => {
      audio.currentTime = currentTime
      audio.playbackRate = playbackRate
      if (!paused) void audio.play()
    }
    audio.addEventListener('loadedmetadata', goOn, { once: true })
    audio.preload = 'auto'
    audio.load()
  }

  /** Finds the paragraphs of the captions. Frameworks may insert them after the player. */
  #match(): void {
    const target = document.querySelector(`#${CSS.escape(this.getAttribute('for') ?? '')}`)
    if (target !== null && this.#blocks?.target !== target) {
      this.#blocks?.end()
      this.#blocks = new PageBlocks(target, (cue) => this.#goToCue(cue))
    }
    this.#blocks?.match(this.#captions.cues)
  }

  #paint(): void {
    if (this.#parts === undefined) return
    const { audio, play, seek, time, speed, caption, captions } = this.#parts
    const known = Number.isFinite(audio.duration) ? audio.duration : Number(this.getAttribute('duration') ?? 0)
    const total = Math.max(known, this.#captions.cues.at(-1)?.endSecond ?? 0)
    if (audio.paused) showIcon(play, 'play', 'Play')
    else showIcon(play, 'pause', 'Pause')
    seek.max = String(total)
    seek.value = String(audio.currentTime)
    seek.style.setProperty('--played', `${total > 0 ? (audio.currentTime / total) * 100 : 0}%`)
    const spoken = `${clock(audio.currentTime)} of ${clock(total)}`
    seek.setAttribute('aria-valuetext', spoken)
    time.textContent = spoken.replace(' of ', ' / ')
    speed.value = String(audio.playbackRate)
    const hasBegun = audio.currentTime > 0 || !audio.paused
    const cue = hasBegun && !audio.ended ? this.#cueAt(audio.currentTime) : -1
    const text = this.#captions.cues[cue]?.text ?? ''
    if (caption.textContent !== text) caption.textContent = text
    caption.hidden = captions.getAttribute('aria-pressed') !== 'true'
    this.#blocks?.mark(cue)
  }

  /** The current caption. A gap belongs to the caption before it. */
  #cueAt(second: number): number {
    // A seek to the start of a caption may land a little before it.
    return this.#captions.cues.findLastIndex(({ startSecond }) => startSecond <= second + 0.01)
  }

  #toggle(): void {
    const { audio } = this.#parts ?? {}
    if (audio === undefined) return
    if (audio.paused) audio.play().catch(() => this.#fail('This narration cannot be played.'))
    else audio.pause()
  }

  #goTo(second: number): void {
    const { audio } = this.#parts ?? {}
    if (audio === undefined) return
    const go = (): void => {
      audio.currentTime = Math.max(0, second)
    }
    // Audio that is not loaded cannot seek. Nothing is loaded before the first play.
    if (audio.readyState > 0) go()
    else {
      audio.addEventListener('loadedmetadata', go, { once: true })
      audio.preload = 'auto'
      audio.load()
    }
  }

  #goToCue(cue: number): void {
    const { startSecond } = this.#captions.cues[cue] ?? {}
    if (startSecond === undefined) return
    this.#goTo(startSecond)
    if (this.#parts?.audio.paused === true) this.#toggle()
  }

  #goParagraph(step: 1 | -1): void {
    const { audio } = this.#parts ?? {}
    if (audio === undefined) return
    const cue = Math.max(0, this.#cueAt(audio.currentTime) + step)
    const { startSecond } = this.#captions.cues[cue] ?? {}
    if (startSecond !== undefined) this.#goTo(startSecond)
  }

  #toggleCaptions(): void {
    const { captions } = this.#parts ?? {}
    captions?.setAttribute('aria-pressed', String(captions.getAttribute('aria-pressed') !== 'true'))
    this.#paint()
  }

  #changeSpeed(step: 1 | -1): void {
    const { audio, speed } = this.#parts ?? {}
    if (audio === undefined || speed === undefined) return
    const index = Math.min(Math.max(speed.selectedIndex + step, 0), speed.options.length - 1)
    audio.playbackRate = Number(speed.options[index]?.value ?? 1)
  }

  #key(event: Event): void {
    if (!(event instanceof KeyboardEvent) || event.ctrlKey || event.metaKey || event.altKey) return
    const { target, key, shiftKey } = event
    const { audio } = this.#parts ?? {}
    if (audio === undefined) return
    const isSpace = key === ' ' && target instanceof HTMLInputElement
    const actions: Readonly<Record<string, () => void>> = {
      k: () => this.#toggle(),
      K: () => this.#toggle(),
      c: () => this.#toggleCaptions(),
      C: () => this.#toggleCaptions(),
      '<': () => this.#changeSpeed(-1),
      '>': () => this.#changeSpeed(1),
      ArrowLeft: () => (shiftKey ? this.#goParagraph(-1) : this.#goTo(audio.currentTime - STEP_SECONDS)),
      ArrowRight: () => (shiftKey ? this.#goParagraph(1) : this.#goTo(audio.currentTime + STEP_SECONDS)),
    }
    const action = isSpace ? actions['k'] : target instanceof HTMLSelectElement ? undefined : actions[key]
    if (action === undefined) return
    event.preventDefault()
    action()
  }

  #fail(message: string): void {
    if (this.#parts === undefined) return
    this.#parts.problem.textContent = message
    this.#parts.problem.hidden = false
  }
}

/** Minutes and seconds, e.g. `1:05`. */
function clock(seconds: number): string {
  const whole = Math.floor(Number.isFinite(seconds) ? seconds : 0)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

if ('customElements' in globalThis && customElements.get('narration-player') === undefined) {
  customElements.define('narration-player', NarrationPlayer)
}
