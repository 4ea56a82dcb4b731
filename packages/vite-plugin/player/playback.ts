import type { PlayerLabels } from './labels.ts'

/** Sets the speed, also of the audio that is loaded next. */
export function setSpeed(audio: HTMLAudioElement, speed: number): void {
  audio.defaultPlaybackRate = speed
  audio.playbackRate = speed
}

/** Seeks. */
export function goTo(audio: HTMLAudioElement, second: number): void {
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

/** Reloads a finished stream of the dev server: the stream had no length and could not seek. */
export function reopen(audio: HTMLAudioElement, play: () => void): void {
  if (Number.isFinite(audio.duration) || audio.readyState === 0) return
  const { currentTime, paused, playbackRate } = audio
  const goOn = (): void => {
    audio.currentTime = currentTime
    audio.playbackRate = playbackRate
    if (!paused) play()
  }
  audio.addEventListener('loadedmetadata', goOn, { once: true })
  audio.preload = 'auto'
  audio.load()
}

/** The first source that the browser plays, else the first one. */
export function playableSource(
  audio: HTMLAudioElement,
  sources: readonly HTMLSourceElement[],
): HTMLSourceElement | undefined {
  return sources.find(({ type }) => audio.canPlayType(type) !== '') ?? sources[0]
}

/** Plays. Resolves to what went wrong, as a name of {@link PlayerLabels}. */
export async function startPlaying(audio: HTMLAudioElement): Promise<keyof PlayerLabels | undefined> {
  try {
    await audio.play()
    return undefined
  } catch (error) {
    const name = error instanceof DOMException ? error.name : ''
    // A pause or another source before the audio has come is no failure.
    if (name === 'AbortError') return undefined
    return name === 'NotAllowedError' ? 'blocked' : 'unplayable'
  }
}
