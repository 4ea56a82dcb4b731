export { NarrationPlayer } from './narration-player.ts'
