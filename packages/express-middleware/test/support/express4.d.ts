// Types of version 4 would add a second `Express` namespace. The tests use only what both versions share.
declare module 'express4' {
  export { default } from 'express'
}
