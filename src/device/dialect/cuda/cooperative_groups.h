/* SPDX-License-Identifier: MIT
 *
 * Cooperative groups of a block and of tiles of its warps: CUDA C++ Programming Guide, cooperative
 * groups. Groups of a grid or a cluster, and those of whatever lanes run together, are not there.
 */
#ifndef SIMTCHECK_KERNELS_CUDA_COOPERATIVE_GROUPS_H
#define SIMTCHECK_KERNELS_CUDA_COOPERATIVE_GROUPS_H

namespace cooperative_groups
{

/* The last parameters of what threads do together: where the call stands. */
#define SIMT_CALLED_AT const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define SIMT_CALL_SITE simt_site_at(file, line)

/* A block, or `count` neighbours among its lanes: of a warp, or one thread. */
class thread_group
{
  public:
    unsigned int size() const
    {
        return count;
    }

    unsigned int num_threads() const
    {
        return count;
    }

    unsigned int thread_rank() const
    {
        return rank_in_block() % count;
    }

    bool is_valid() const
    {
        return true;
    }

    void sync(SIMT_CALLED_AT, const char *function = __builtin_FUNCTION()) const
    {
        if (is_block)
            simt_syncthreads(SIMT_CALL_SITE, function);
        else
            simt_collective(SIMT_CALL_SITE, SIMT_SYNC, mask(), 0, 0);
    }

    /* The lanes of it. */
    unsigned int mask() const
    {
        unsigned int first = simt_lane() / count * count;
        return count >= 32 ? 0xffffffff : ((1u << count) - 1) << first;
    }

  protected:
    thread_group(unsigned int count_, bool is_block_) : count(count_), is_block(is_block_)
    {
    }

    static unsigned int rank_in_block()
    {
        uint3 index = simt_thread_index(), extent = simt_block_extent();
        return index.x + extent.x * (index.y + extent.y * index.z);
    }

    friend thread_group tiled_partition(const thread_group &, unsigned int);

  private:
    unsigned int count;
    bool is_block;
};

class thread_block : public thread_group
{
  public:
    static dim3 group_index()
    {
        return dim3(simt_block_index());
    }

    static dim3 thread_index()
    {
        return dim3(simt_thread_index());
    }

    static dim3 group_dim()
    {
        return dim3(simt_block_extent());
    }

    static dim3 dim_threads()
    {
        return dim3(simt_block_extent());
    }

  private:
    thread_block() : thread_group(threads(), true)
    {
    }

    static unsigned int threads()
    {
        uint3 extent = simt_block_extent();
        return extent.x * extent.y * extent.z;
    }

    friend thread_block this_thread_block();
};

inline thread_block this_thread_block()
{
    return thread_block();
}

template <unsigned int Size, typename Parent = thread_block>
class thread_block_tile : public thread_group
{
    static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "tiles of more than a warp are not there without nvcc");

  public:
    explicit thread_block_tile(const thread_group &) : thread_group(Size, false)
    {
    }

    static constexpr unsigned int size()
    {
        return Size;
    }

    static constexpr unsigned int num_threads()
    {
        return Size;
    }

    unsigned int meta_group_rank() const
    {
        return rank_in_block() / Size;
    }

    unsigned int meta_group_size() const
    {
        uint3 extent = simt_block_extent();
        return (extent.x * extent.y * extent.z + Size - 1) / Size;
    }

    template <typename Value>
    Value shfl(Value value, int rank, SIMT_CALLED_AT) const
    {
        return simt_shuffle_any(SIMT_CALL_SITE, mask(), value, rank, Size);
    }

    template <typename Value>
    Value shfl_up(Value value, unsigned int delta, SIMT_CALLED_AT) const
    {
        return simt_shuffle_up(SIMT_CALL_SITE, mask(), value, delta, Size);
    }

    template <typename Value>
    Value shfl_down(Value value, unsigned int delta, SIMT_CALLED_AT) const
    {
        return simt_shuffle_down(SIMT_CALL_SITE, mask(), value, delta, Size);
    }

    template <typename Value>
    Value shfl_xor(Value value, unsigned int bits, SIMT_CALLED_AT) const
    {
        return simt_shuffle_xor(SIMT_CALL_SITE, mask(), value, static_cast<int>(bits), Size);
    }

    unsigned int ballot(int vote, SIMT_CALLED_AT) const
    {
        return own(simt_vote(SIMT_CALL_SITE, SIMT_VOTE_ballot, mask(), vote != 0));
    }

    int any(int vote, SIMT_CALLED_AT) const
    {
        return simt_vote(SIMT_CALL_SITE, SIMT_VOTE_any, mask(), vote != 0) != 0;
    }

    int all(int vote, SIMT_CALLED_AT) const
    {
        return simt_vote(SIMT_CALL_SITE, SIMT_VOTE_all, mask(), vote != 0) != 0;
    }

    template <typename Value>
    unsigned int match_any(Value value, SIMT_CALLED_AT) const
    {
        return own(simt_match(SIMT_CALL_SITE, SIMT_MATCH_any, mask(), value));
    }

  private:
    /* Of the warp's lanes, those of the tile, from its first on. */
    unsigned int own(unsigned int lanes) const
    {
        return (lanes & mask()) >> simt_lane() / Size * Size;
    }
};

template <unsigned int Size, typename Parent>
inline thread_block_tile<Size, Parent> tiled_partition(const Parent &parent)
{
    return thread_block_tile<Size, Parent>(parent);
}

inline thread_group tiled_partition(const thread_group &, unsigned int size)
{
    return thread_group(size, false);
}

template <typename Group>
inline void sync(const Group &group, SIMT_CALLED_AT, const char *function = __builtin_FUNCTION())
{
    group.sync(file, line, function);
}

/* cooperative_groups/reduce.h */
template <typename Value>
struct plus {
    Value operator()(Value a, Value b) const
    {
        return a + b;
    }
};

template <typename Value>
struct less {
    Value operator()(Value a, Value b) const
    {
        return b < a ? b : a;
    }
};

template <typename Value>
struct greater {
    Value operator()(Value a, Value b) const
    {
        return a < b ? b : a;
    }
};

template <typename Value>
struct bit_and {
    Value operator()(Value a, Value b) const
    {
        return a & b;
    }
};

template <typename Value>
struct bit_or {
    Value operator()(Value a, Value b) const
    {
        return a | b;
    }
};

template <typename Value>
struct bit_xor {
    Value operator()(Value a, Value b) const
    {
        return a ^ b;
    }
};

template <unsigned int Size, typename Parent, typename Value, typename Operation>
inline Value reduce(const thread_block_tile<Size, Parent> &tile, Value value, Operation operation,
                    SIMT_CALLED_AT)
{
    for (unsigned int bits = Size / 2; bits > 0; bits /= 2)
        value = operation(value, tile.shfl_xor(value, bits, file, line));
    return value;
}

#undef SIMT_CALLED_AT
#undef SIMT_CALL_SITE

} // namespace cooperative_groups

#endif
