import narrations from 'virtual:narrations'
import post from './post.md?narrate'

globalThis.narrated = { post, narrations }
export { post }
