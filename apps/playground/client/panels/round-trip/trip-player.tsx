import type { ReactElement } from 'react'
import { PlayerBar } from '../../components/player-bar.tsx'
import { useMediaPlayer } from '../../components/use-media-player.ts'
import type { Trip } from './use-round-trips.ts'

/** Plays the speech of a round trip. */
export function TripPlayer({ trip }: { readonly trip: Trip }): ReactElement {
  const player = useMediaPlayer(trip.audio)
  return <PlayerBar player={player} label={`the speech of ${trip.voice}, run ${trip.id}`} compact />
}
