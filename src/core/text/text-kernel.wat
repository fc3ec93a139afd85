;; Copies terminal text, sixteen bytes at a time, and leaves out what changes no text: CR before LF, colours, modes.
;; Stops at anything else, which `Sanitizer` reads itself. See text-kernel.ts for the contract.
;; `node scripts/build-text-kernel.ts` compiles it into text-kernel-module.ts.
(module
  (memory (export "memory") 4)
  ;; Between input and output: blank, TAB, LF, DEL, C2, the last of the controls, and CR. From 66048 on, put there by text-kernel.ts, for each
  ;; set of eight bytes (bit 0 is the first) the places of those that are not in it.
  (data (i32.const 66000) "\20\09\0a\7f\c2\1f\0d")

  ;; True where the UTF-8 sequence that ends before $at is whole: its lead stands where it must. False where that is not sure.
  (func $isWhole (param $at i32) (result i32)
    (if (i32.lt_u (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 0x80)) (then (return (i32.const 1))))
    (if (i32.ge_u (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 0xc0)) (then (return (i32.const 0))))
    (if (i32.ge_u (i32.load8_u (i32.sub (local.get $at) (i32.const 2))) (i32.const 0xc0))
      (then (return (i32.lt_u (i32.load8_u (i32.sub (local.get $at) (i32.const 2))) (i32.const 0xe0)))))
    (if (i32.ge_u (i32.load8_u (i32.sub (local.get $at) (i32.const 3))) (i32.const 0xc0))
      (then (return (i32.lt_u (i32.load8_u (i32.sub (local.get $at) (i32.const 3))) (i32.const 0xf0)))))
    (i32.ge_u (i32.load8_u (i32.sub (local.get $at) (i32.const 4))) (i32.const 0xf0)))

  ;; Where a control sequence that changes no text begins at $at (an ESC), the address behind it, else $at.
  ;; The bytes from $end on are zero, which ends every loop here.
  (func $skipSequence (param $at i32) (result i32)
    (local $index i32) (local $byte i32)
    (if (i32.ne (i32.load8_u offset=1 (local.get $at)) (i32.const 0x5b)) (then (return (local.get $at))))
    (local.set $index (i32.add (local.get $at) (i32.const 2)))
    (loop $parameters
      (local.set $byte (i32.load8_u (local.get $index)))
      (if (i32.lt_u (i32.sub (local.get $byte) (i32.const 0x20)) (i32.const 0x20))
        (then
          (local.set $index (i32.add (local.get $index) (i32.const 1)))
          (br_if $parameters (i32.lt_u (i32.sub (local.get $index) (local.get $at)) (i32.const 64))))))
    ;; A final byte, but none of those that move or erase: @ A to H, J, K, P, X, and ` a d e f
    (if (i32.ge_u (i32.sub (local.get $byte) (i32.const 0x40)) (i32.const 0x3f)) (then (return (local.get $at))))
    (if (i32.and
          (i32.shr_u
            (select (i32.const 0x01010dff) (i32.const 0x73) (i32.lt_u (local.get $byte) (i32.const 0x60)))
            (i32.and (local.get $byte) (i32.const 0x1f)))
          (i32.const 1))
      (then
        ;; CSI K erases behind the end of the line: nothing.
        (if (i32.or
              (i32.ne (local.get $byte) (i32.const 0x4b))
              (i32.ne (local.get $index) (i32.add (local.get $at) (i32.const 2))))
          (then (return (local.get $at))))))
    (i32.add (local.get $index) (i32.const 1)))

  ;; Returns how many bytes from address 0 on are plain ASCII text: printable, TAB or LF. A zero byte must stand behind them.
  (func (export "scanText") (result i32)
    (local $index i32) (local $stops v128)
    (local $one v128) (local $two v128) (local $three v128) (local $four v128)
    (local $blank v128) (local $tab v128) (local $lineFeed v128) (local $delete v128)
    (local.set $blank (v128.load8_splat (i32.const 66000)))
    (local.set $tab (v128.load8_splat (i32.const 66001)))
    (local.set $delete (v128.load8_splat (i32.const 66003)))
    (local.set $lineFeed (v128.load8_splat (i32.const 66002)))
    (loop $quads
      (local.set $one (v128.load offset=0 (local.get $index)))
      (local.set $two (v128.load offset=16 (local.get $index)))
      (local.set $three (v128.load offset=32 (local.get $index)))
      (local.set $four (v128.load offset=48 (local.get $index)))
      (local.set $stops
        (v128.or
          (v128.or
          (v128.or
            (v128.andnot
              (i8x16.lt_s (local.get $one) (local.get $blank))
              (v128.or (i8x16.eq (local.get $one) (local.get $tab)) (i8x16.eq (local.get $one) (local.get $lineFeed))))
            (i8x16.eq (local.get $one) (local.get $delete)))
          (v128.or
            (v128.andnot
              (i8x16.lt_s (local.get $two) (local.get $blank))
              (v128.or (i8x16.eq (local.get $two) (local.get $tab)) (i8x16.eq (local.get $two) (local.get $lineFeed))))
            (i8x16.eq (local.get $two) (local.get $delete))))
          (v128.or
          (v128.or
            (v128.andnot
              (i8x16.lt_s (local.get $three) (local.get $blank))
              (v128.or (i8x16.eq (local.get $three) (local.get $tab)) (i8x16.eq (local.get $three) (local.get $lineFeed))))
            (i8x16.eq (local.get $three) (local.get $delete)))
          (v128.or
            (v128.andnot
              (i8x16.lt_s (local.get $four) (local.get $blank))
              (v128.or (i8x16.eq (local.get $four) (local.get $tab)) (i8x16.eq (local.get $four) (local.get $lineFeed))))
            (i8x16.eq (local.get $four) (local.get $delete))))))
      (if (i32.eqz (v128.any_true (local.get $stops)))
        (then
          (local.set $index (i32.add (local.get $index) (i32.const 64)))
          (br $quads))))
    ;; The stop is in these 64 bytes.
    (loop $singles
      (local.set $one (v128.load (local.get $index)))
      (local.set $stops
        (v128.or
            (v128.andnot
              (i8x16.lt_s (local.get $one) (local.get $blank))
              (v128.or (i8x16.eq (local.get $one) (local.get $tab)) (i8x16.eq (local.get $one) (local.get $lineFeed))))
            (i8x16.eq (local.get $one) (local.get $delete))))
      (if (i32.eqz (v128.any_true (local.get $stops)))
        (then
          (local.set $index (i32.add (local.get $index) (i32.const 16)))
          (br $singles))))
    (i32.add (local.get $index) (i32.ctz (i8x16.bitmask (local.get $stops)))))

  ;; Copies from $start to $out, up to $end; 144 zero bytes behind $end stop each block there. Returns the number of bytes read times 65,536 plus the number of bytes written.
  (func (export "copyText") (param $start i32) (param $end i32) (param $out i32) (result i32)
    (local $index i32) (local $to i32) (local $byte i32) (local $next i32) (local $good i32)
    (local $block v128) (local $second v128) (local $stops v128)
    (local $returns i32) (local $tab v128) (local $lineFeed v128) (local $delete v128) (local $c2 v128) (local $lastControl v128)
    ;; From memory, not as constants: V8 would build those anew in each round.
    (local.set $tab (v128.load8_splat (i32.const 66001)))
    (local.set $lineFeed (v128.load8_splat (i32.const 66002)))
    (local.set $delete (v128.load8_splat (i32.const 66003)))
    (local.set $c2 (v128.load8_splat (i32.const 66004)))
    (local.set $lastControl (v128.load8_splat (i32.const 66005)))
    (local.set $index (local.get $start))
    (local.set $to (local.get $out))
    (block $done
      (loop $blocks
        ;; Two blocks without any control, DEL or C2. What stands behind $end is a control.
        (loop $pairs
          (local.set $block (v128.load (local.get $index)))
          (local.set $second (v128.load offset=16 (local.get $index)))
          (v128.store (local.get $to) (local.get $block))
          (v128.store offset=16 (local.get $to) (local.get $second))
          (local.set $stops (i8x16.min_u (local.get $block) (local.get $second)))
          (local.set $stops
            (v128.or
              (i8x16.eq (i8x16.min_u (local.get $stops) (local.get $lastControl)) (local.get $stops))
              (v128.or
                (v128.or
                  (i8x16.eq (local.get $block) (local.get $delete))
                  (i8x16.eq (local.get $second) (local.get $delete)))
                (v128.or
                  (i8x16.eq (local.get $block) (local.get $c2))
                  (i8x16.eq (local.get $second) (local.get $c2))))))
          (if (i32.eqz (v128.any_true (local.get $stops)))
            (then
              (local.set $index (i32.add (local.get $index) (i32.const 32)))
              (local.set $to (i32.add (local.get $to) (i32.const 32)))
              (br $pairs))))
        (br_if $done (i32.ge_u (local.get $index) (local.get $end)))
        ;; Not text: below 0x20 but for TAB and LF, DEL, and C2 (the lead of C1 controls).
        (local.set $stops
          (v128.or
            (v128.or
              (v128.andnot
                (i8x16.eq (i8x16.min_u (local.get $block) (local.get $lastControl)) (local.get $block))
                (v128.or
                  (i8x16.eq (local.get $block) (local.get $tab))
                  (i8x16.eq (local.get $block) (local.get $lineFeed))))
              (i8x16.eq (local.get $block) (local.get $delete)))
            (i8x16.eq (local.get $block) (local.get $c2))))
        ;; A constant step where all is text, so that the next load need not wait for the mask.
        (if (i32.eqz (v128.any_true (local.get $stops)))
          (then
            (local.set $index (i32.add (local.get $index) (i32.const 16)))
            (local.set $to (i32.add (local.get $to) (i32.const 16)))
            (br $blocks)))
        ;; By far the most frequent: CR before LF, behind ASCII. Where nothing else stops, they are all left out at once.
        (local.set $good (i8x16.bitmask (local.get $stops)))
        (local.set $returns
          (i32.and
            (i8x16.bitmask (i8x16.eq (local.get $block) (v128.load8_splat (i32.const 66006))))
            (i32.or
              (i32.shr_u (i8x16.bitmask (i8x16.eq (local.get $block) (local.get $lineFeed))) (i32.const 1))
              (i32.shl (i32.eq (i32.load8_u offset=16 (local.get $index)) (i32.const 0x0a)) (i32.const 15)))))
        (if (i32.eq (local.get $good) (local.get $returns))
          (then
            (if (i32.eqz
                  (i32.and
                    (local.get $returns)
                    (i32.or
                      (i32.shl (i8x16.bitmask (local.get $block)) (i32.const 1))
                      (i32.shr_u (i32.load8_u (i32.sub (local.get $to) (i32.const 1))) (i32.const 7)))))
              (then
                (v128.store (local.get $to)
                  (i8x16.swizzle
                    (local.get $block)
                    (v128.load64_zero offset=66048
                      (i32.shl (i32.and (local.get $returns) (i32.const 0xff)) (i32.const 3)))))
                (local.set $to
                  (i32.sub
                    (i32.add (local.get $to) (i32.const 8))
                    (i32.popcnt (i32.and (local.get $returns) (i32.const 0xff)))))
                (v128.store (local.get $to)
                  (i8x16.swizzle
                    (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $block) (local.get $block))
                    (v128.load64_zero offset=66048
                      (i32.shl (i32.shr_u (local.get $returns) (i32.const 8)) (i32.const 3)))))
                (local.set $to
                  (i32.sub
                    (i32.add (local.get $to) (i32.const 8))
                    (i32.popcnt (i32.shr_u (local.get $returns) (i32.const 8)))))
                (local.set $index (i32.add (local.get $index) (i32.const 16)))
                (br $blocks)))))
        (local.set $good (i32.ctz (local.get $good)))
        (local.set $index (i32.add (local.get $index) (local.get $good)))
        (local.set $to (i32.add (local.get $to) (local.get $good)))
        (br_if $done (i32.ge_u (local.get $index) (local.get $end)))
        (local.set $byte (i32.load8_u (local.get $index)))
        ;; C2 and no C1 control: the bytes of a letter.
        (if (i32.eq (local.get $byte) (i32.const 0xc2))
          (then
            (br_if $done
              (i32.lt_u (i32.sub (i32.load8_u offset=1 (local.get $index)) (i32.const 0x80)) (i32.const 0x20)))
            (i32.store8 (local.get $to) (local.get $byte))
            (local.set $index (i32.add (local.get $index) (i32.const 1)))
            (local.set $to (i32.add (local.get $to) (i32.const 1)))
            (br $blocks)))
        ;; What is left out must not stand within a letter.
        (if (i32.gt_u (local.get $to) (local.get $out))
          (then (br_if $done (i32.eqz (call $isWhole (local.get $to))))))
        (if (i32.eq (local.get $byte) (i32.const 0x0d))
          (then
            (local.set $next (local.get $index))
            (loop $returns
              (local.set $next (i32.add (local.get $next) (i32.const 1)))
              (br_if $returns (i32.eq (i32.load8_u (local.get $next)) (i32.const 0x0d))))
            (br_if $done (i32.ne (i32.load8_u (local.get $next)) (i32.const 0x0a)))
            (local.set $index (local.get $next))
            (br $blocks)))
        (br_if $done (i32.ne (local.get $byte) (i32.const 0x1b)))
        (local.set $next (call $skipSequence (local.get $index)))
        (br_if $done (i32.eq (local.get $next) (local.get $index)))
        (local.set $index (local.get $next))
        (br $blocks)))
    (i32.or
      (i32.shl (i32.sub (local.get $index) (local.get $start)) (i32.const 16))
      (i32.sub (local.get $to) (local.get $out)))))
