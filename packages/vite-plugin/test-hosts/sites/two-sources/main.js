import '@svc-audio/vite-plugin/player'
import mp3 from './post.md?response_format=mp3&narrate'
import opus from './post.md?response_format=opus&narrate'

// A browser that plays no Ogg Opus, as Safari before 18.4.
if (location.search === '?without-opus') {
  HTMLMediaElement.prototype.canPlayType = (type) => (type === 'audio/ogg' ? '' : 'maybe')
}

const player = document.createElement('narration-player')
for (const { src, type, captions } of [opus, mp3]) {
  const source = document.createElement('source')
  Object.assign(source, { src, type })
  source.dataset.captions = captions
  player.append(source)
}
player.setAttribute('for', 'post')
document.querySelector('#post').before(player)
