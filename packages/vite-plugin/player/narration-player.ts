import { handleKey, hideMedia, nameMedia, type PlayerActions, showMedia, showPosition } from './controls.ts'
import { findTarget, PageBlocks } from './page-blocks.ts'
import { type Captions, currentOf, parseVtt } from './parse-vtt.ts'
import { Playback, playableSource, setSpeed } from './playback.ts'
import { PlayerElement, type PlayerLabels } from './player-element.ts'
import { readChoices, Resume, storeChoices } from './storage.ts'
import {
  buildPlayer,
  nameParts,
  type PlayerParts,
  type Section,
  showIcon,
  showSections,
  SKIP_SECONDS,
  styleRoot,
} from './template.ts'

/** Events of the audio by the name under which the page hears them. */
const EVENTS = [
  ['play', 'narration:play'],
  ['pause', 'narration:pause'],
  ['seeked', 'narration:seek'],
  ['ended', 'narration:end'],
] as const

/** Interval of requests for partial captions, in milliseconds. */
const RELOAD_MS = 1000

/**
 * `<narration-player>`: an accessible player of a narration, with painted captions.
 *
 * Attributes: `src` and `captions` are addresses. `duration` is the length in seconds, if known. `label` is the title of the
 * text. `for` is the id of the element that is read, or a selector: the player marks its current paragraph
 * (`[data-narration-current]`), and a click on a paragraph plays it. `resume` begins where the last visit has stopped,
 * `download` offers the audio, and `labels` holds texts in another language. `docked` keeps the player in view and follows
 * the text, and `clicks="off"` leaves clicks on paragraphs to the page. Each part has a `part` for style sheets. The headings
 * of the element that is read are a menu.
 *
 * Instead of `src` and `captions`, the element may contain `<source>` elements, each with the captions of its audio in
 * `data-captions`: the first one that the browser plays is taken. Or it may contain an `<audio>` with a `<track>`, for
 * browsers without scripts.
 *
 * Keys: Space on the slider and K play or pause, ← and → seek by 5 seconds, J and L by 15, with Shift and an arrow by a
 * paragraph, `<` and `>` change the speed, C shows or hides captions. One player of a page plays at a time. The next
 * page of the site has the speed and the captions that the reader has set.
 *
 * Events, for analytics: `narration:play`, `narration:pause`, `narration:seek` and `narration:end` bubble, with
 * `{ seconds, duration }` in `detail`.
 */
export class NarrationPlayer extends PlayerElement {
  #parts: PlayerParts | undefined
  #captions: Captions = { cues: [], segments: [], isPartial: false }
  #blocks: PageBlocks | undefined
  #reload: ReturnType<typeof setTimeout> | undefined
  #loading: AbortController | undefined
  #playback: Playback | undefined
  /** Whether audio and captions are those of the attributes. */
  #isOpen = false
  #resume: Resume | undefined
  #sections: readonly Section[] = []
  /** Whether an event of this player is under dispatch. Around a shadow root, its target is the host. */
  #isTelling = false

  /** The browser calls it when the element enters a page. It builds the player, and loads no audio. */
  connectedCallback(): void {
    this.takeEarlyProperties()
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    styleRoot(root)
    // A framework may move the element, or keep it and bring it back: the audio stays the same.
    this.#parts ??= this.#build(root)
    document.addEventListener('narration:play', this.#heardOther)
    for (const event of ['online', 'offline']) addEventListener(event, this.#lineChanged)
    if (this.#isOpen) this.#match()
    else this.#open()
  }

  /** The browser calls it when the element leaves a page. The audio stops, unless the element was only moved. */
  disconnectedCallback(): void {
    // A move disconnects and connects the element before the next microtask.
    queueMicrotask(() => {
      if (this.isConnected) return
      document.removeEventListener('narration:play', this.#heardOther)
      for (const event of ['online', 'offline']) removeEventListener(event, this.#lineChanged)
      if (this.#parts !== undefined) hideMedia(this.#parts.audio)
      this.#playback?.leave()
      this.#close()
    })
  }

  /** The browser calls it when an observed attribute changes. A new `src` ends the audio of the old one. */
  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (this.#parts === undefined || before === after) return
    if (!this.isConnected) this.#close()
    else if (name === 'label' || name === 'labels' || name === 'download') this.#name()
    else if (name === 'resume') this.#keepPosition()
    else if (name === 'for' || name === 'clicks') this.#match()
    else if (name === 'duration' || name === 'docked') this.#paint()
    else this.#open()
  }

  /** The `<audio>` of the player; `undefined` before the element is connected. */
  get audio(): HTMLAudioElement | undefined {
    return this.#parts?.audio
  }

  /** Builds the parts, once for each element. */
  #build(root: ShadowRoot): PlayerParts {
    const parts = buildPlayer(root, this.labels)
    const { audio, play, previous, back, forward, next, seek, sections, speed, captions } = parts
    const chosen = readChoices()
    setSpeed(audio, chosen.speed)
    captions.setAttribute('aria-pressed', String(chosen.captions))
    for (const [event, name] of EVENTS) audio.addEventListener(event, () => this.#tell(name))
    const playback = new Playback(audio, {
      problem: (problem) => this.#show(problem),
      changed: () => this.#paint(),
    })
    this.#playback = playback
    audio.addEventListener('timeupdate', () => this.#paint())
    audio.addEventListener('timeupdate', () => this.#resume?.store(audio, !audio.paused))
    for (const event of ['pause', 'ended']) audio.addEventListener(event, () => this.#resume?.store(audio, false))
    // A framework may have rendered the page again since.
    audio.addEventListener('play', () => this.#match())
    for (const event of ['durationchange', 'seeked', 'ratechange']) {
      audio.addEventListener(event, () => showPosition(audio))
    }
    for (const event of ['play', 'pause', 'ended', 'durationchange', 'seeked', 'ratechange']) {
      audio.addEventListener(event, () => this.#paint())
    }
    play.addEventListener('click', () => playback.toggle())
    previous.addEventListener('click', () => this.#goParagraph(-1))
    next.addEventListener('click', () => this.#goParagraph(1))
    back.addEventListener('click', () => actions.skip(-SKIP_SECONDS))
    forward.addEventListener('click', () => actions.skip(SKIP_SECONDS))
    sections.addEventListener('change', () => this.#goTo(this.#sections[Number(sections.value)]?.startSecond ?? 0))
    seek.addEventListener('input', () => this.#goTo(Number(seek.value)))
    speed.addEventListener('change', () => this.#setSpeed(Number(speed.value)))
    captions.addEventListener('click', () => this.#toggleCaptions())
    const actions: PlayerActions = {
      play: () => void playback.play(),
      pause: () => playback.pause(),
      toggle: () => playback.toggle(),
      toggleCaptions: () => this.#toggleCaptions(),
      changeSpeed: (step) => this.#changeSpeed(step),
      goParagraph: (step) => this.#goParagraph(step),
      skip: (seconds) => this.#goTo(playback.second + seconds),
      goTo: (second) => this.#goTo(second),
    }
    audio.addEventListener('play', () => showMedia(audio, this.label || document.title, actions))
    root.addEventListener('keydown', (event) => handleKey(event, actions))
    return parts
  }

  /** Loads audio and captions from the attributes. */
  #open(): void {
    this.#close()
    const { audio } = this.#parts ?? {}
    if (audio === undefined) return
    const inner = this.querySelector('audio')
    const source = playableSource(audio, [...this.querySelectorAll('source')])
    const src = this.getAttribute('src') ?? inner?.getAttribute('src') ?? source?.getAttribute('src') ?? ''
    const track = source?.dataset['captions'] ?? inner?.querySelector('track')?.getAttribute('src')
    this.#isOpen = true
    this.#show(undefined)
    this.#playback?.open(src)
    this.hidden = src === ''
    this.#keepPosition()
    this.#name()
    void this.#loadCaptions(this.getAttribute('captions') ?? track ?? '')
    this.#paint()
  }

  #name(): void {
    if (this.#parts === undefined) return
    const { labels, label, download: name } = this
    const { bar, download, audio } = this.#parts
    nameParts(this.#parts, labels)
    bar.setAttribute('aria-label', label || labels.narration)
    download.hidden = name === undefined
    download.download = name ?? ''
    download.href = this.#playback?.address ?? ''
    nameMedia(audio, label || document.title)
    this.#paint()
  }

  /** Takes the position of the last visit, if the player shall. */
  #keepPosition(): void {
    const src = this.#playback?.address ?? ''
    this.#resume = this.resume && src !== '' ? new Resume(src) : undefined
    // Before the audio is loaded, this is where it will begin.
    this.#playback?.beginAt(this.#resume?.read() ?? 0)
  }

  #close(): void {
    this.#isOpen = false
    clearTimeout(this.#reload)
    this.#playback?.close()
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
    if (wasPartial && !this.#captions.isPartial) this.#playback?.reopen()
    if (this.#captions.isPartial) this.#reload = setTimeout(() => void this.#loadCaptions(address), RELOAD_MS)
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
    if (this.#blocks !== undefined) this.#blocks.takesClicks = this.clicks !== 'off'
    const { segments } = this.#captions
    this.#blocks?.match(segments)
    const headings = this.#blocks?.headings() ?? []
    this.#sections = headings.map(({ title, level, cue }) => ({
      title,
      level,
      startSecond: segments[cue]?.startSecond ?? 0,
    }))
    if (this.#parts !== undefined) showSections(this.#parts, this.#sections)
    this.#paint()
  }

  #paint(): void {
    if (this.#parts === undefined || this.#playback === undefined) return
    const { audio, bar, play, seek, time, sections, speed, caption, captions } = this.#parts
    const { second, isWaiting } = this.#playback
    const total = this.#total
    const { labels } = this
    if (this.#playback.plays) showIcon(play, 'pause', labels.pause)
    else showIcon(play, 'play', labels.play)
    seek.max = String(total)
    seek.value = String(second)
    seek.style.setProperty('--played', `${total > 0 ? (second / total) * 100 : 0}%`)
    const [at, all] = [clock(second), clock(total)]
    seek.setAttribute('aria-valuetext', labels.time.replace('{current}', at).replace('{total}', all))
    time.textContent = isWaiting ? labels.loading : `${at} / ${all}`
    bar.setAttribute('aria-busy', String(isWaiting))
    speed.value = String(audio.playbackRate)
    sections.selectedIndex = this.#sections.findLastIndex(({ startSecond }) => startSecond <= second + 0.01)
    const hasBegun = second > 0 || !audio.paused
    const { cues, segments } = this.#captions
    const isHeard = hasBegun && !audio.ended
    const text = cues[isHeard ? currentOf(cues, second) : -1]?.text ?? ''
    if (caption.textContent !== text) caption.textContent = text
    caption.hidden = captions.getAttribute('aria-pressed') !== 'true'
    this.#blocks?.mark(isHeard ? currentOf(segments, second) : -1, this.docked && !audio.paused)
  }

  #goTo(second: number): void {
    this.#playback?.goTo(second, this.#total)
    this.#paint()
  }

  /** Length in seconds, as far as it is known: of the audio, else of the attribute and the captions. */
  get #total(): number {
    const { duration = NaN } = this.#parts?.audio ?? {}
    const known = Number.isFinite(duration) ? duration : Number(this.getAttribute('duration') ?? 0)
    return Math.max(known, this.#captions.cues.at(-1)?.endSecond ?? 0)
  }

  #goToSegment(segment: number): void {
    const { startSecond } = this.#captions.segments[segment] ?? {}
    if (startSecond === undefined) return
    this.#goTo(startSecond)
    if (this.#playback?.plays === false) this.#playback.toggle()
  }

  #goParagraph(step: 1 | -1): void {
    const { segments } = this.#captions
    const { second = 0 } = this.#playback ?? {}
    const { startSecond } = segments[Math.max(0, currentOf(segments, second) + step)] ?? {}
    if (startSecond !== undefined) this.#goTo(startSecond)
  }

  #toggleCaptions(): void {
    const { captions } = this.#parts ?? {}
    const isShown = captions?.getAttribute('aria-pressed') !== 'true'
    captions?.setAttribute('aria-pressed', String(isShown))
    storeChoices({ captions: isShown })
    this.#paint()
  }

  #setSpeed(value: number): void {
    if (this.#parts !== undefined) setSpeed(this.#parts.audio, value)
    storeChoices({ speed: value })
  }

  readonly #lineChanged = (): void => this.#playback?.lineChanged()

  /** Another player of the page plays: two voices at once are none. */
  readonly #heardOther = (): void => {
    if (!this.#isTelling) this.#playback?.pause()
  }

  #tell(name: string): void {
    // While the audio is loaded whole, it pauses by itself.
    if (this.#playback?.pausesItself === true && name === 'narration:pause') return
    const detail = { seconds: this.#playback?.second ?? 0, duration: this.#total }
    this.#isTelling = true
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }))
    this.#isTelling = false
  }

  #changeSpeed(step: 1 | -1): void {
    if (this.#parts === undefined) return
    const { speed } = this.#parts
    const index = Math.min(Math.max(speed.selectedIndex + step, 0), speed.options.length - 1)
    this.#setSpeed(Number(speed.options[index]?.value ?? 1))
  }

  /** Shows a problem; `undefined` shows none. */
  #show(problem: keyof PlayerLabels | undefined): void {
    if (this.#parts === undefined) return
    this.#parts.problem.hidden = problem === undefined
    if (problem !== undefined) this.#parts.problem.textContent = this.labels[problem]
  }
}

/** Minutes and seconds, e.g. `1:05`; from an hour on `1:15:05`. */
function clock(seconds: number): string {
  const whole = Math.floor(Number.isFinite(seconds) ? seconds : 0)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const shown = hours > 0 ? [hours, String(minutes).padStart(2, '0')] : [minutes]
  return [...shown, String(whole % 60).padStart(2, '0')].join(':')
}

if ('customElements' in globalThis && customElements.get('narration-player') === undefined) {
  customElements.define('narration-player', NarrationPlayer)
}
