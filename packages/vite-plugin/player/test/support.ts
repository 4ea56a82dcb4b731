import { afterEach, vi } from 'vitest'
import { NarrationPlayer } from '../narration-player.ts'

/** Two captions, as the plugin writes them. */
export const CAPTIONS =
  'WEBVTT\n\n00:00.000 --> 00:04.000\nThe harbour.\n\n00:04.500 --> 00:09.000\nThe boat leaves at nine.\n'

/**
 * Gives each test an empty page, without choices of a reader. Call it in every file: files share this module, and a hook
 * belongs to the file that registers it.
 */
export function cleanPages(): void {
  afterEach(() => {
    document.body.replaceChildren()
    localStorage.clear()
    vi.restoreAllMocks()
  })
}

/** A player whose audio can be operated: this DOM has no media. */
export interface StagedPlayer {
  readonly player: NarrationPlayer
  readonly audio: HTMLAudioElement
  /** Presses a key inside the player. */
  readonly press: (key: string, options?: KeyboardEventInit) => void
  readonly button: (label: string) => HTMLButtonElement
  /** The shown problem, empty for none. */
  readonly problem: () => string
}

/** Puts a player into the page. @param captions WebVTT. */
export async function stagePlayer(
  attributes: Readonly<Record<string, string>> = {},
  captions: string = CAPTIONS,
): Promise<StagedPlayer> {
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(new Response(captions)))
  const player = new NarrationPlayer()
  const all = { src: '/post.mp3', captions: '/post.vtt', duration: '9', ...attributes }
  for (const [name, value] of Object.entries(all)) player.setAttribute(name, value)
  document.body.append(player)
  await settled()
  const { audio, shadowRoot: root } = player
  if (audio === undefined || root === null) throw new Error('The player has no audio')
  Object.defineProperty(audio, 'readyState', { value: 4, configurable: true })
  return {
    player,
    audio,
    press: (key, options = {}) => {
      const play = root.querySelector('button')
      play?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true, ...options }))
    },
    button: (label) => {
      const found = root.querySelector<HTMLButtonElement>(`button[aria-label="${label}"]`)
      if (found === null) throw new Error(`The player has no button ${label}`)
      return found
    },
    problem: () => {
      const shown = root.querySelector<HTMLElement>('.problem')
      return shown === null || shown.hidden ? '' : shown.textContent
    },
  }
}

/** Resolves once the work that is due has run: captions, and what follows a removal. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}
