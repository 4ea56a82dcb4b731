import { useEffect, useState } from 'react'
import { MediaPlayer } from '../audio/media-player.ts'
import type { Player, PlayerState } from '../audio/player.ts'
import { createStore, useStore } from '../lib/store.ts'

const NO_AUDIO = createStore<PlayerState>({
  status: 'paused',
  position: 0,
  duration: 0,
  open: false,
  levels: undefined,
})

/** The state of a player. Without a player: paused, and without audio. */
export function usePlayerState(player: Player | undefined): PlayerState {
  return useStore(stateOf(player))
}

/** The store of a player's state. Without a player: paused, and without audio. */
export function stateOf(player: Player | undefined): Player['state'] {
  return player?.state ?? NO_AUDIO
}

/** A player for bytes or an address. `undefined` without a source. The player of the last source is closed. */
export function useMediaPlayer(source: Blob | string | undefined): Player | undefined {
  const [player, setPlayer] = useState<MediaPlayer>()
  useEffect(() => {
    if (source === undefined) {
      setPlayer(undefined)
      return undefined
    }
    const made = new MediaPlayer(source)
    setPlayer(made)
    return () => {
      made.close()
      setPlayer(undefined)
    }
  }, [source])
  return player
}
