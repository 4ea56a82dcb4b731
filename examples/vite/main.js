// Shows every post with its player. A real blog renders the posts. Here the spoken text is enough.
import { NarrationPlayer } from '@svc-audio/vite-plugin/player'
import narrations from 'virtual:narrations'

// The texts of the pages that are shown. A list of narrations has none.
const texts = import.meta.glob('./posts/*.md', { query: '?narrate', import: 'text', eager: true })

for (const [index, { file, title, src, captions, durationSeconds }] of narrations.entries()) {
  const article = document.createElement('article')
  article.id = `post-${index}`
  for (const [place, paragraph] of texts[`./${file}`].split('\n\n').entries()) {
    const element = document.createElement(place === 0 ? 'h2' : 'p')
    element.textContent = paragraph
    article.append(element)
  }
  const player = new NarrationPlayer()
  const attributes = { src, captions, duration: durationSeconds, for: article.id, label: title }
  for (const [name, value] of Object.entries(attributes)) player.setAttribute(name, value)
  document.querySelector('#posts').append(player, article)
}
