// A podcast feed of the posts, rendered on the server. The build has the audio, so length and size are known.
import narrations from 'virtual:narrations'

const SITE = 'https://blog.example'

export const posts = narrations

export const feed = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel><title>A blog to listen to</title><link>${SITE}</link>
${narrations
  // A page without audio has no `src`.
  .filter(({ src }) => src !== '')
  .map(
    ({ file, title, src, type, bytes }) =>
      `<item><title>${title}</title><guid>${SITE}/${file}</guid><enclosure url="${SITE}${src}" type="${type}" length="${bytes}"/></item>`,
  )
  .join('\n')}
</channel></rss>`

// The texts, only where they are asked for.
export const texts = import.meta.glob('./posts/*.md', { query: '?narrate', import: 'text', eager: true })
