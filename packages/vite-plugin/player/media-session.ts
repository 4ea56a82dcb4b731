/** What the keys of a headset, a lock screen and a car do. */
export interface MediaActions {
  readonly play: () => void
  readonly pause: () => void
  /** Seeks by seconds. */
  readonly skip: (seconds: number) => void
  readonly goTo: (second: number) => void
  readonly goParagraph: (step: 1 | -1) => void
}

/** A step of the system's own keys, where it names none, in seconds. */
const STEP_SECONDS = 10

/** The audio that the system shows. A page may have several players. */
let shown: HTMLAudioElement | undefined

/** Shows the audio that plays in the controls of the system, and lets them operate it. */
export function showMedia(audio: HTMLAudioElement, title: string, actions: MediaActions): void {
  if (!('mediaSession' in navigator)) return
  const { mediaSession } = navigator
  shown = audio
  mediaSession.metadata = new MediaMetadata({ title })
  setHandler('play', actions.play)
  setHandler('pause', actions.pause)
  setHandler('seekbackward', ({ seekOffset }) => actions.skip(-(seekOffset ?? STEP_SECONDS)))
  setHandler('seekforward', ({ seekOffset }) => actions.skip(seekOffset ?? STEP_SECONDS))
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
