import { findTarget } from './find-target.ts'
import { handleKey, type KeyActions } from './keys.ts'
import { hideMedia, showMedia, showPosition } from './media-session.ts'
import { PageBlocks } from './page-blocks.ts'
import { type Captions, currentOf, parseVtt } from './parse-vtt.ts'
import { PlayerElement } from './player-element.ts'
import { buildPlayer, type PlayerParts, showIcon, styleRoot } from './template.ts'

/** Interval of requests for partial captions, in milliseconds. */
const RELOAD_MS = 1000
/** Shown when the browser cannot load or decode the audio. */
const UNPLAYABLE = 'This narration cannot be played. Reload the page.'
/**
 * `<narration-player>`: an accessible player of a narration, with painted captions.
 *
 * Attributes: `src` and `captions` are addresses. `duration` is the length in seconds, if known. `label` is the title of the
 * text. `for` is the id of the element that is read, or a selector: the player marks its current paragraph
 * (`[data-narration-current]`), and a click on a paragraph plays it. Instead of `src` and `captions`, the element may contain an `<audio>` with a
 * `<track>`, for browsers without scripts.
 *
 * Keys: Space on the slider and K play or pause, ← and → seek by 5 seconds, with Shift by a paragraph, `<` and `>` change the
 * speed, C shows or hides captions.
 */
export class NarrationPlayer extends PlayerElement {
  #parts: PlayerParts | undefined
  #captions: Captions = { cues: [], segments: [], isPartial: false }
  #blocks: PageBlocks | undefined
  #reload: ReturnType<typeof setTimeout> | undefined
  #loading: AbortController | undefined
  /** Whether audio and captions are those of the attributes. */
  #isOpen = false

  connectedCallback(): void {
    this.takeEarlyProperties()
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    styleRoot(root)
    // A framework may move the element, or keep it and bring it back: the audio stays the same.
    this.#parts ??= this.#build(root)
    if (this.#isOpen) this.#match()
    else this.#open()
  }

  disconnectedCallback(): void {
    // A move disconnects and connects the element before the next microtask.
    queueMicrotask(() => {
      if (this.isConnected) return
      this.#parts?.audio.pause()
      if (this.#parts !== undefined) hideMedia(this.#parts.audio)
      this.#close()
    })
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (this.#parts === undefined || before === after) return
    if (!this.isConnected) this.#close()
    else if (name === 'label') this.#name()
    else if (name === 'for') this.#match()
    else if (name === 'duration') this.#paint()
    else this.#open()
  }

  /** The `<audio>` of the player; `undefined` before the element is connected. */
  get audio(): HTMLAudioElement | undefined {
    return this.#parts?.audio
  }

  /** Builds the parts, once for each element. */
  #build(root: ShadowRoot): PlayerParts {
    const parts = buildPlayer(root)
    const { audio, play, previous, next, seek, speed, captions } = parts
    audio.addEventListener('timeupdate', () => this.#paint())
    // A framework may have rendered the page again since.
    audio.addEventListener('play', () => this.#match())
    audio.addEventListener('play', () => this.#show(audio))
    for (const event of ['durationchange', 'seeked', 'ratechange']) {
      audio.addEventListener(event, () => showPosition(audio))
    }
    audio.addEventListener('playing', () => (parts.problem.hidden = true))
    for (const event of ['play', 'pause', 'ended', 'durationchange', 'seeked', 'ratechange']) {
      audio.addEventListener(event, () => this.#paint())
    }
    audio.addEventListener('error', () => this.#fail(UNPLAYABLE))
    play.addEventListener('click', () => this.#toggle())
    previous.addEventListener('click', () => this.#goParagraph(-1))
    next.addEventListener('click', () => this.#goParagraph(1))
    seek.addEventListener('input', () => this.#goTo(Number(seek.value)))
    speed.addEventListener('change', () => this.#setSpeed(Number(speed.value)))
    captions.addEventListener('click', () => this.#toggleCaptions())
    const actions: KeyActions = {
      toggle: () => this.#toggle(),
      toggleCaptions: () => this.#toggleCaptions(),
      changeSpeed: (step) => this.#changeSpeed(step),
      goParagraph: (step) => this.#goParagraph(step),
      skip: (seconds) => this.#goTo(audio.currentTime + seconds),
    }
    root.addEventListener('keydown', (event) => handleKey(event, actions))
    return parts
  }

  /** Loads audio and captions from the attributes. */
  #open(): void {
    this.#close()
    const { audio } = this.#parts ?? {}
    if (audio === undefined) return
    const inner = this.querySelector('audio')
    const src = this.getAttribute('src') ?? inner?.getAttribute('src') ?? ''
    this.#isOpen = true
    this.#name()
    this.#parts?.problem.setAttribute('hidden', '')
    if (src === '') audio.removeAttribute('src')
    else if (audio.getAttribute('src') !== src) audio.src = src
    this.hidden = src === ''
    void this.#loadCaptions(this.getAttribute('captions') ?? inner?.querySelector('track')?.getAttribute('src') ?? '')
    this.#paint()
  }

  #name(): void {
    this.#parts?.bar.setAttribute('aria-label', this.getAttribute('label') ?? 'Narration')
  }

  #close(): void {
    this.#isOpen = false
    clearTimeout(this.#reload)
    this.#loading?.abort()
    this.#blocks?.end()
    this.#blocks = undefined
    this.#captions = { cues: [], segments: [], isPartial: false }
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
      if (!paused) void this.#play(audio)
    }
    audio.addEventListener('loadedmetadata', goOn, { once: true })
    audio.preload = 'auto'
    audio.load()
  }

  /** Finds the paragraphs of the captions. Frameworks may insert them after the player. */
  #match(): void {
    const target = findTarget(this, this.getAttribute('for') ?? '')
    if (target !== null && this.#blocks?.target !== target) {
      this.#blocks?.end()
      this.#blocks = new PageBlocks(target, (segment) => this.#goToSegment(segment))
    }
    if (target === null) {
      this.#blocks?.end()
      this.#blocks = undefined
    }
    this.#blocks?.match(this.#captions.segments)
    this.#paint()
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
    const { cues, segments } = this.#captions
    const isHeard = hasBegun && !audio.ended
    const text = cues[isHeard ? currentOf(cues, audio.currentTime) : -1]?.text ?? ''
    if (caption.textContent !== text) caption.textContent = text
    caption.hidden = captions.getAttribute('aria-pressed') !== 'true'
    this.#blocks?.mark(isHeard ? currentOf(segments, audio.currentTime) : -1)
  }

  #toggle(): void {
    const { audio } = this.#parts ?? {}
    if (audio === undefined) return
    if (audio.paused) void this.#play(audio)
    else audio.pause()
  }

  #show(audio: HTMLAudioElement): void {
    showMedia(audio, this.label || document.title, {
      play: () => void this.#play(audio),
      pause: () => audio.pause(),
      skip: (seconds) => this.#goTo(audio.currentTime + seconds),
      goTo: (second) => this.#goTo(second),
      goParagraph: (step) => this.#goParagraph(step),
    })
  }

  async #play(audio: HTMLAudioElement): Promise<void> {
    try {
      await audio.play()
    } catch (error) {
      const name = error instanceof DOMException ? error.name : ''
      // A pause or another source before the audio has come is no failure.
      if (name === 'AbortError') return
      this.#fail(name === 'NotAllowedError' ? 'The browser did not start the audio. Press play.' : UNPLAYABLE)
    }
  }

  /** Sets the speed, also of the audio that is loaded next. */
  #setSpeed(speed: number): void {
    const { audio } = this.#parts ?? {}
    if (audio === undefined) return
    audio.defaultPlaybackRate = speed
    audio.playbackRate = speed
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

  #goToSegment(segment: number): void {
    const { startSecond } = this.#captions.segments[segment] ?? {}
    if (startSecond === undefined) return
    this.#goTo(startSecond)
    if (this.#parts?.audio.paused === true) this.#toggle()
  }

  #goParagraph(step: 1 | -1): void {
    const { audio } = this.#parts ?? {}
    if (audio === undefined) return
    const { segments } = this.#captions
    const { startSecond } = segments[Math.max(0, currentOf(segments, audio.currentTime) + step)] ?? {}
    if (startSecond !== undefined) this.#goTo(startSecond)
  }

  #toggleCaptions(): void {
    const { captions } = this.#parts ?? {}
    captions?.setAttribute('aria-pressed', String(captions.getAttribute('aria-pressed') !== 'true'))
    this.#paint()
  }

  #changeSpeed(step: 1 | -1): void {
    const { speed } = this.#parts ?? {}
    if (speed === undefined) return
    const index = Math.min(Math.max(speed.selectedIndex + step, 0), speed.options.length - 1)
    this.#setSpeed(Number(speed.options[index]?.value ?? 1))
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
