import { createStore, readStored, type Store, writeStored } from '../lib/store.ts'
import { addStop } from '../shell/panel-context.ts'
import type { Levels } from './levels.ts'

/** State of a player. */
export interface PlayerState {
  /** `waiting`: it plays as soon as audio arrives. */
  readonly status: 'paused' | 'waiting' | 'playing' | 'ended'
  /** Seconds from the start. */
  readonly position: number
  /** Seconds that can be played. Grows while a stream arrives. */
  readonly duration: number
  /** Whether more may arrive. */
  readonly open: boolean
  /** For a waveform. `undefined` when unknown. */
  readonly levels: Levels | undefined
}

/** Plays one audio. `<PlayerBar>` shows and controls it. */
export interface Player {
  readonly state: Pick<Store<PlayerState>, 'get' | 'subscribe'>
  /** Plays, from the start after the end. Call it in a click or a key press the first time. */
  play(): Promise<void>
  pause(): void
  /** Moves to a position, in seconds. */
  seek(seconds: number): void
  /** Ends the player and frees what it holds. */
  close(): void
}

/** The volume of every player, 0 to 1. */
export const volume: Store<number> = createStore(readStored('volume', 1))

volume.subscribe(() => writeStored('volume', volume.get()))

let current: { readonly player: Player; readonly release: () => void } | undefined

/** Notes that a player plays. Pauses the one before: only one is heard. Escape pauses it too. */
export function takeTurn(player: Player): void {
  if (current?.player === player) return
  current?.player.pause()
  current?.release()
  current = { player, release: addStop(() => player.pause()) }
}

/** Notes that a player no longer plays. */
export function endTurn(player: Player): void {
  if (current?.player !== player) return
  current.release()
  current = undefined
}
