import { useEffect, useState } from 'react'
import { MediaPlayer } from '../audio/media-player.ts'
import type { Player } from '../audio/player.ts'

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
