/** A step of the arrow keys, in seconds. */
const KEY_SECONDS = 5
/** A step of the keys J and L, in seconds. */
const LONG_SECONDS = 15
/** A step of the system's own keys, where it names none, in seconds. */
const MEDIA_SECONDS = 10

/** What the keys of the page, of a headset, of a lock screen and of a car do. */
export interface PlayerActions {
  readonly play: () => void
  readonly pause: () => void
  readonly toggle: () => void
  readonly toggleCaptions: () => void
  readonly changeSpeed: (step: 1 | -1) => void
  readonly goParagraph: (step: 1 | -1) => void
  /** Seeks by seconds. */
  readonly skip: (seconds: number) => void
  readonly goTo: (second: number) => void
}

/** Runs the action of a key. Other keys, and keys with Ctrl, Alt or Meta, stay the page's. */
export function handleKey(event: Event, actions: PlayerActions): void {
  if (!(event instanceof KeyboardEvent) || event.ctrlKey || event.metaKey || event.altKey) return
  const { target, key, shiftKey } = event
  const byKey: Readonly<Record<string, () => void>> = {
    k: actions.toggle,
    c: actions.toggleCaptions,
    j: () => actions.skip(-LONG_SECONDS),
    l: () => actions.skip(LONG_SECONDS),
    '<': () => actions.changeSpeed(-1),
    '>': () => actions.changeSpeed(1),
    arrowleft: () => (shiftKey ? actions.goParagraph(-1) : actions.skip(-KEY_SECONDS)),
    arrowright: () => (shiftKey ? actions.goParagraph(1) : actions.skip(KEY_SECONDS)),
  }
  const isSpace = key === ' ' && target instanceof HTMLInputElement
  // A list of choices has keys of its own.
  const isChoice = target instanceof HTMLSelectElement
  const action = isSpace ? actions.toggle : isChoice ? undefined : byKey[key.toLowerCase()]
  if (action === undefined) return
  event.preventDefault()
  action()
}

/** The audio that the system shows. A page may have several players. */
let shown: HTMLAudioElement | undefined

/** Shows the audio that plays in the controls of the system, and lets them operate it. */
export function showMedia(audio: HTMLAudioElement, title: string, actions: PlayerActions): void {
  if (!('mediaSession' in navigator)) return
  shown = audio
  nameMedia(audio, title)
  setHandler('play', actions.play)
  setHandler('pause', actions.pause)
  setHandler('seekbackward', ({ seekOffset }) => actions.skip(-(seekOffset ?? MEDIA_SECONDS)))
  setHandler('seekforward', ({ seekOffset }) => actions.skip(seekOffset ?? MEDIA_SECONDS))
  setHandler('seekto', ({ seekTime }) => actions.goTo(seekTime ?? 0))
  setHandler('previoustrack', () => actions.goParagraph(-1))
  setHandler('nexttrack', () => actions.goParagraph(1))
  showPosition(audio)
}

/** Changes the title of audio that is shown. */
export function nameMedia(audio: HTMLAudioElement, title: string): void {
  if (shown === audio) navigator.mediaSession.metadata = new MediaMetadata({ title })
}

/** Shows the position of audio that is shown. */
export function showPosition(audio: HTMLAudioElement): void {
  const { duration, currentTime, playbackRate } = audio
  // The stream of a dev server has no length.
  if (shown !== audio || !Number.isFinite(duration) || duration <= 0) return
  navigator.mediaSession.setPositionState({ duration, playbackRate, position: Math.min(currentTime, duration) })
}

/** Removes audio from the controls of the system. */
export function hideMedia(audio: HTMLAudioElement): void {
  if (shown !== audio) return
  shown = undefined
  navigator.mediaSession.metadata = null
}

function setHandler(action: MediaSessionAction, handler: MediaSessionActionHandler): void {
  try {
    navigator.mediaSession.setActionHandler(action, handler)
  } catch {
    // The browser does not know this action. The others work.
  }
}
