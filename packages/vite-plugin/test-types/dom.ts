const player = document.createElement('narration-player')
player.setAttribute('src', '/post.mp3')
player.duration = 9
player.captions = '/post.vtt'

/** The player's own members are known, wherever an element comes from. */
export const audios: readonly (HTMLAudioElement | undefined)[] = [
  player.audio,
  document.querySelector('narration-player')?.audio,
]

// @ts-expect-error: an address is a string
player.src = 1
