/*
 * Operator new and delete for the wheels of musl. CLD2 allocates four blocks of 16 to
 * 80 kB for each page, and frees them. musl returns each to the system, and the kernel
 * clears the next one. Here a thread keeps four freed blocks until it ends.
 * The other forms of new and delete call these two.
 */
#include <cstddef>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace
{

constexpr std::size_t min_kept = 12 << 10, max_kept = 128 << 10;

struct kept_blocks {
    void *blocks[4] = {};
    bool is_done = false; /* the thread ends, and keeps nothing */

    ~kept_blocks()
    {
        is_done = true;
        for (void *block : blocks)
            std::free(block);
    }

    /* Returns a block of exactly `size` bytes, or NULL if none is kept. */
    void *take(std::size_t size)
    {
        for (void *&block : blocks) {
            if (is_done || !block || malloc_usable_size(block) != size)
                continue;
            void *taken = block;
            block = nullptr;
            return taken;
        }
        return nullptr;
    }

    /* Returns whether the block was kept. */
    bool keep(void *freed)
    {
        for (void *&block : blocks) {
            if (is_done || block)
                continue;
            block = freed;
            return true;
        }
        return false;
    }
};

thread_local kept_blocks kept;

bool is_kept(std::size_t size)
{
    return size >= min_kept && size <= max_kept;
}

} // namespace

void *operator new(std::size_t size)
{
    void *block = is_kept(size) ? kept.take(size) : nullptr;
    if (!block)
        block = std::malloc(size > 0 ? size : 1);
    if (!block)
        throw std::bad_alloc();
    return block;
}

void operator delete(void *block) noexcept
{
    /* musl's malloc_usable_size returns the size that malloc got, and 0 for NULL. */
    if (!is_kept(malloc_usable_size(block)) || !kept.keep(block))
        std::free(block);
}
